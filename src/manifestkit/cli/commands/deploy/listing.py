"""`manifest deploy --list`: what would be packed, and which line leaves out the rest."""

from __future__ import annotations

from pathlib import Path

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.commands.deploy.site import Site
from manifestkit.cli.console import note
from manifestkit.cli.service import print_json
from manifestkit.files import is_folder
from manifestkit.findings.messages import counted
from manifestkit.publish.archive import inspect_archive, shown_problem
from manifestkit.publish.packing import LeftOut, Packing, list_files
from manifestkit.publish.upload import take_snapshot
from manifestkit.rendering import visible


def list_site(site: Site, *, as_json: bool) -> int:
    """Show what a deploy would pack, or what is in an archive; the exit code.

    Raises:
        UnreadableFileError: the folder or archive cannot be read.
        ConfigurationError: the ignore file cannot be used.
    """
    if is_folder(site.source):
        packing = list_files(site.source, site.ignore)
    else:
        packing = _archived(site.source)
    code = exit_codes.FINDINGS if packing.problems else exit_codes.CLEAN
    if as_json:
        print_json(
            {
                "packed": [{"name": name, "size": size} for name, size in packing.files],
                "left_out": [
                    {**each._asdict(), **({} if each.file else {"file": None, "line": None})}
                    for each in packing.left_out
                ],
                "problems": [shown_problem(each) for each in packing.problems],
                "exit_code": code,
            }
        )
        return code
    for name, size in packing.files:
        click.echo(visible(f"packed    {name} ({counted(size, 'byte')})"))
    for each in packing.left_out:
        click.echo(visible(f"left out  {each.name}: {_reason(each)}"))
    for problem in packing.problems:
        click.echo(visible(f"refused   {shown_problem(problem)}"))
    size = sum(size for _, size in packing.files)
    note(f"{counted(len(packing.files), 'file')}, {counted(size, 'byte')} before packing")
    return code


def _reason(left_out: LeftOut) -> str:
    if not left_out.file:
        return f"`{left_out.pattern}`, by default"
    return f"{left_out.file}:{left_out.line}: `{left_out.pattern}`"


def _archived(path: Path) -> Packing:
    """The files of an archive, of which nothing is left out."""
    snapshot = take_snapshot(path)
    with snapshot.file:
        found = inspect_archive(snapshot.file, snapshot.size)
    files = [(each.name, each.size) for each in found.entries if not each.is_folder]
    return Packing(sorted(files), [], list(found.problems))
