"""Parts of findings that all machine formats share."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

from manifestkit.files import relative_name
from manifestkit.model.errors import CrashedFileError, UnreadableFileError
from manifestkit.model.finding import Finding
from manifestkit.model.location import LineIndex
from manifestkit.model.report import Report
from manifestkit.rendering.escape import visible

_BLOCK = 1024


def from_root(path: str) -> str:
    """Return a file as seen from the working folder, which in a build is the repository's root.

    Platforms match it with a changed file's name; an absolute name they cannot match.
    """
    return relative_name(Path(path)) if Path(path).is_absolute() else path


def uri(path: str) -> str:
    """Return a file as a URI reference (RFC 3986): relative and percent-encoded where it can be.

    Bytes of a name that are no UTF-8 are encoded as they are.
    """
    name = from_root(path)
    try:
        raw = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte of a name
        raw = name.encode("utf-8", "surrogatepass")
    encoded = quote(raw, safe="/")
    if Path(name).is_absolute():
        return f"file://{'' if encoded.startswith('/') else '/'}{encoded}"
    # Some readers decode before they look for a scheme.
    has_colon = ":" in name.partition("/")[0]
    return f"./{encoded}" if has_colon or not encoded else encoded


class ByteIndex:
    """Finds lines and columns that count bytes of UTF-8, a byte order mark's among them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = LineIndex(text)
        # One line may hold a whole file: what stands before an offset is not counted anew.
        self._before = [0]
        for start in range(0, len(text), _BLOCK):
            self._before.append(self._before[-1] + _size(text[start : start + _BLOCK]))

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column (1-based) of an offset in code points."""
        line, column = self._lines.position(offset)
        start = 0 if line == 1 else offset - column + 1
        return line, self._bytes_before(offset) - self._bytes_before(start) + 1

    def _bytes_before(self, offset: int) -> int:
        block = offset // _BLOCK
        return self._before[block] + _size(self._text[block * _BLOCK : offset])


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def stable_fingerprint(finding: Finding) -> str:
    """Return the finding's own, or one for what has none: an entry of the configuration, say."""
    if finding.identity is not None:
        return finding.identity.fingerprint
    return _digest(finding.rule, finding.pointer, finding.message)


def unique_fingerprints(findings: Iterable[Finding]) -> Iterator[str]:
    """One for each finding that no other finding of any file has."""
    seen: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        key = (finding.path, stable_fingerprint(finding))
        yield _digest(*key, *([str(seen[key])] if seen[key] else []))
        seen[key] += 1


def file_fingerprint(path: str) -> str:
    """One for a file that there is no result of."""
    return _digest(path)


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


UNREADABLE = "unreadable-file"
"""Stands for the rule where a file could not be read."""


CRASHED = "crash"
"""Stands for the rule where this toolkit crashed at a file."""

NOT_COMPARED = "not-compared"

FileProblem = CrashedFileError | UnreadableFileError
"""Why there is no result of a file."""


def untold(report: Report) -> list[FileProblem]:
    """Return the files without a result that no finding is about.

    A comparison that could not be made has the finding `not-compared`, which says why.
    """
    told = {each.message for each in report.findings if each.rule == NOT_COMPARED}
    return [each for each in report.errors if str(each) not in told]


def rule_of(problem: FileProblem) -> str:
    """Return what stands for the rule of a file without a result."""
    return CRASHED if isinstance(problem, CrashedFileError) else UNREADABLE


def why_no_result(problem: FileProblem) -> str:
    """Why there are no findings of a file, as a sentence."""
    if isinstance(problem, CrashedFileError):
        return f"the file cannot be checked: {problem.reason}"
    return f"the file cannot be read: {problem.reason}"


def in_one_line(finding: Finding) -> str:
    """Return message and help for a field that readers show in one line."""
    return "; ".join(filter(None, (finding.message, finding.help)))


def in_lines(finding: Finding) -> str:
    """Return message and help on a line each, safe to show."""
    return "\n".join(visible(each) for each in (finding.message, finding.help) if each)
