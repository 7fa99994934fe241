"""The GitHub Action's comparison, and its one comment, on a stand-in of GitHub's API."""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from action import run_step
from checkout import git, make_repository
from report_cases import EXAMPLES

_MARK = "<!-- manifestkit -->"
_OF_THE_JOB = "job"


@dataclass
class GitHub:
    """The comments of one pull request, as the API has them: created, listed in pages, updated."""

    url: str = ""
    comments: list[dict[str, Any]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)

    def answer(self, method: str, path: str, token: str, body: Any) -> tuple[int, Any]:
        self.calls.append(method)
        if token != f"Bearer {_OF_THE_JOB}":
            return 403, {"message": "Resource not accessible by integration"}
        page = re.fullmatch(r"/repos/o/r/issues/7/comments\?per_page=(\d+)&page=(\d+)", path)
        if method == "GET" and page:
            size, number = map(int, page.groups())
            return 200, self.comments[size * (number - 1) : size * number]
        if method == "POST" and path == "/repos/o/r/issues/7/comments":
            return 201, self.add("github-actions[bot]", body["body"])
        one = re.fullmatch(r"/repos/o/r/issues/comments/(\d+)", path)
        if method == "PATCH" and one:
            self.comments[int(one[1])]["body"] = body["body"]
            return 200, self.comments[int(one[1])]
        return 404, {"message": "Not Found"}

    def add(self, login: str, body: str) -> dict[str, Any]:
        self.comments.append({"id": len(self.comments), "user": {"login": login}, "body": body})
        return self.comments[-1]


@contextmanager
def _serving(github: GitHub) -> Iterator[GitHub]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else None
            token = self.headers.get("Authorization", "")
            code, contents = github.answer(self.command, self.path, token, body)
            data = json.dumps(contents).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = _answer  # noqa: N815 - the names of the base class

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    github.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield github
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def github() -> Iterator[GitHub]:
    with _serving(GitHub()) as running:
        yield running


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository whose manifest has one more permission than in its last commit."""
    folder = tmp_path / "project"
    folder.mkdir()
    file = folder / "manifest.json"
    shutil.copy(EXAMPLES / "valid" / "minimal.activity-provider.json", file)
    make_repository(folder)
    contents = json.loads(file.read_text())
    file.write_text(json.dumps({**contents, "permissions": ["host.timer"]}, indent=2))
    return folder


def _comment(folder: Path, github: GitHub, token: str = _OF_THE_JOB, diff_base: str = "") -> str:
    done = run_step(
        "comment",
        folder,
        env={
            "GH_TOKEN": token,
            "PULL_REQUEST": "7",
            "GITHUB_API_URL": github.url,
            "GITHUB_REPOSITORY": "o/r",
        },
        diff_base=diff_base,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_findings_and_changes_are_one_comment_that_each_run_updates(
    project: Path, github: GitHub
) -> None:
    github.add("somebody", f"{_MARK} quoted by somebody else")
    for _ in range(150):
        github.add("github-actions[bot]", "of another job")
    for run in range(2):
        assert run_step("lint", project, comment="true").returncode == 0
        assert run_step("diff", project, diff_base="HEAD").returncode == 1
        assert _comment(project, github, diff_base="HEAD") == ""
        (ours,) = [each for each in github.comments[1:] if each["body"].startswith(_MARK)]
        assert ours["id"] == 151
        assert "permission-added" in ours["body"], run
        assert github.calls[-1] == ("PATCH" if run else "POST")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message=approved")
    run_step("lint", project, comment="true")
    assert run_step("diff", project, diff_base="HEAD").returncode == 0
    _comment(project, github, diff_base="HEAD")
    assert len(github.comments) == 152
    assert "permission-added" not in github.comments[-1]["body"]


@pytest.mark.slow
def test_a_run_that_fails_before_its_report_says_so_in_the_comment(
    project: Path, github: GitHub
) -> None:
    assert run_step("lint", project, comment="true").returncode == 0
    _comment(project, github)
    (project / "manifestkit.toml").write_text("fail-on = 1\n")
    done = run_step("lint", project, comment="true", env={"GITHUB_ACTIONS": "true"})
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("error: manifestkit.toml:1: ")
    _comment(project, github)
    (comment,) = github.comments
    assert comment["body"].splitlines()[:2] == [_MARK, "### ❌ Manifests: the run failed"]


@pytest.mark.slow
def test_a_comparison_with_an_unknown_revision_says_so_in_the_comment(
    project: Path, github: GitHub
) -> None:
    assert run_step("lint", project, comment="true").returncode == 0
    job = {"GITHUB_ACTIONS": "true"}
    done = run_step("diff", project, diff_base="gone", env=job)
    assert done.returncode == 2
    assert "error: unknown revision `gone`" in done.stderr
    _comment(project, github, diff_base="gone")
    (comment,) = github.comments
    assert comment["body"].splitlines()[:2] == [_MARK, "### ❌ Manifests: the run failed"]
    assert "no problems found" in comment["body"]


def test_a_job_that_may_not_comment_is_warned_and_does_not_fail(
    project: Path, github: GitHub
) -> None:
    run_step("lint", project, comment="true")
    assert _comment(project, github, token="fork").startswith("::warning ")
    assert github.comments == []


def test_a_comment_is_no_longer_than_github_takes(project: Path, github: GitHub) -> None:
    (project / "manifestkit-findings.md").write_text("a line of findings\n" * 10_000)
    _comment(project, github)
    (comment,) = github.comments
    assert 60_000 < len(comment["body"]) < 65_536
    assert comment["body"].endswith("The rest is in the log of the job.\n")


@pytest.mark.parametrize(("expires", "code"), [("2999-01-01", 0), ("2001-01-01", 1)])
def test_a_suppression_with_a_reason_and_an_expiry_approves_a_change(
    project: Path, expires: str, code: int
) -> None:
    (project / "manifestkit.toml").write_text(
        '[[suppress]]\nrule = "permission-added"\npath = "manifest.json"\n'
        f'reason = "agreed with the review board"\nexpires = {expires}\n'
    )
    assert run_step("diff", project, diff_base="HEAD").returncode == code


@pytest.mark.parametrize("base", ["$(touch pwned)", "--help", "no-such-branch"])
def test_a_base_is_a_revision_whatever_it_looks_like(project: Path, base: str) -> None:
    done = run_step("diff", project, diff_base=base)
    assert done.returncode == 2
    assert not (project / "pwned").exists()


def test_a_package_is_not_compared(project: Path) -> None:
    done = run_step("diff", project, paths="site.zip\nmanifest.json", diff_base="HEAD")
    assert done.returncode == 1
    assert "permission-added" in done.stdout
