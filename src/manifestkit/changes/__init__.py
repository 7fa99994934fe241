"""Changes between two manifests, and the findings of the change rules."""

import os

from manifestkit.changes.compare import compare
from manifestkit.decode import decode
from manifestkit.engine.lint import default_policy
from manifestkit.model.report import FileResult


def diff(
    old: bytes | str,
    new: bytes | str,
    old_name: str | os.PathLike[str] = "old.json",
    name: str | os.PathLike[str] = "new.json",
) -> FileResult:
    """Compare two manifests: what changed, and the findings of the change rules.

    Args:
        old: the content of the old manifest, as bytes or as text.
        new: the content of the new manifest.
        old_name: the old manifest's name for findings; its suffix selects JSON or YAML.
        name: the new manifest's name for findings.

    Raises:
        UnreadableFileError: one of them cannot be read as a manifest: nothing is compared.

    Example:
        >>> newer = MANIFEST.replace('"permissions": []', '"permissions": ["host.timer"]')
        >>> result = manifestkit.diff(MANIFEST, newer)
        >>> [finding.rule for finding in result.findings]
        ['version-not-raised', 'permission-added']
    """
    before, after = map(os.fsdecode, (old_name, name))
    return compare(default_policy(), decode(old, before), decode(new, after), before, after)
