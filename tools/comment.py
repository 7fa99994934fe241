"""Write the one comment of the action on a pull request: `python tools/comment.py FILE...`.

Posts the files as a comment, or updates the comment of an earlier run; for a file that is not there
it says that the run failed. Uses `GITHUB_API_URL` and
`GITHUB_REPOSITORY` of the job, the number of the `PULL_REQUEST`, and the job's `GH_TOKEN`. Without
the permission to comment it only warns: the verdict is that of the other steps.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

_MARK = "<!-- manifestkit -->"
_AUTHOR = "github-actions[bot]"
_LONGEST = 65_000  # GitHub takes 65,536 characters
_FAILED = """### ❌ Manifests: the run failed

It ended before its report was written; the log of the job says why.
"""
_PER_PAGE = 100
_MOST_PAGES = 30
_SECONDS = 30


def main() -> None:
    """Post or update the comment."""
    issues = f"repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    comments = f"{issues}/{os.environ['PULL_REQUEST']}/comments"
    files = [Path(name) for name in sys.argv[1:]]
    texts = [file.read_text("utf-8") for file in files if file.exists()]
    failed = [_FAILED] if len(texts) < len(files) else []
    body = "\n".join([_MARK, *failed, *texts])
    if len(body) > _LONGEST:
        body = body[:_LONGEST].rpartition("\n")[0] + "\n\nThe rest is in the log of the job.\n"
    try:
        known = next(_ours(comments), None)
        if known is None:
            _call("POST", comments, {"body": body})
        else:
            _call("PATCH", f"{issues}/comments/{known}", {"body": body})
    except (URLError, TimeoutError) as error:
        print(
            "::warning title=manifestkit::the comment could not be written: "
            f"{error}; the job needs the permission `pull-requests: write`"
        )


def _ours(comments: str) -> Iterator[int]:
    """Yield the ids of the comments that an earlier run has made."""
    for page in range(1, _MOST_PAGES + 1):
        found = _call("GET", f"{comments}?per_page={_PER_PAGE}&page={page}")
        for each in found:
            if each["user"]["login"] == _AUTHOR and each["body"].startswith(_MARK):
                yield each["id"]
        if len(found) < _PER_PAGE:
            return


def _call(method: str, path: str, contents: object = None) -> Any:
    request = Request(  # noqa: S310 - the runner's own address
        f"{os.environ['GITHUB_API_URL']}/{path}",
        None if contents is None else json.dumps(contents).encode(),
        {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['GH_TOKEN']}",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
        method=method,
    )
    with urlopen(request, timeout=_SECONDS) as response:  # noqa: S310 - likewise
        return json.load(response)


if __name__ == "__main__":
    main()
