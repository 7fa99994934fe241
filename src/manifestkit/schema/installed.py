"""Profiles of installed packages: `package:NAME`.

A package names a file of its own as an entry point, `NAME = "MODULE:FILE"`. The file is found in
the list of the package's files: nothing of the package is imported.
"""

from __future__ import annotations

from pathlib import Path

from manifestkit.model.errors import ConfigurationError
from manifestkit.model.printable import printable

PREFIX = "package:"
_GROUP = "manifestkit.profiles"


def profile_path(text: str) -> Path:
    """Return the path of a profile, by its path or as `package:NAME`.

    Raises:
        ConfigurationError: no installed package has such a profile, or several have.
    """
    return _installed(text.removeprefix(PREFIX)) if text.startswith(PREFIX) else Path(text)


def _installed(name: str) -> Path:
    from importlib.metadata import entry_points  # noqa: PLC0415 - most profiles are files

    from manifestkit.schema.suggest import nearest  # noqa: PLC0415 - likewise

    known = entry_points(group=_GROUP)
    found = {each.dist.name: each for each in known if each.name == name and each.dist}
    shown = f"`{PREFIX}{printable(name)}`"
    if not found:
        near = nearest(name, tuple(known.names))
        names = ", ".join(f"`{each}`" for each in sorted(known.names))
        hint = f"did you mean `{near}`?" if near else f"there is {names}" if names else "none has"
        raise ConfigurationError(f"{shown}: no installed package has such a profile; {hint}")
    if len(found) > 1:
        raise ConfigurationError(f"{shown}: several packages have it: {', '.join(sorted(found))}")
    (package, entry), *_ = found.items()
    module, _, file = entry.value.partition(":")
    path = f"{module.strip().replace('.', '/')}/{file.strip()}"
    for each in (entry.dist and entry.dist.files) or ():
        if each.as_posix() == path:
            return Path(str(each.locate()))
    raise ConfigurationError(
        f"{shown}: the package {package} has no file {printable(path)}; the entry point is "
        '`NAME = "MODULE:FILE"`, and an editable install has no such list of files'
    )
