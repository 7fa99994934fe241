"""Variables of the environment: each option has one, as documented, and no other is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.core import ParameterSource

from command import FINDINGS
from in_process import manifest_here
from manifestkit.cli.main import app


def commands(of: click.Command, within: click.Context | None = None) -> Iterator[click.Context]:
    """Yield the context of a command and of those in it, each as if nothing were typed."""
    name = of.name if within else "manifest"
    own = click.Context(of, parent=within, info_name=name, **of.context_settings)
    yield own
    if isinstance(of, click.Group):
        for name in of.list_commands(own):
            part = of.get_command(own, name)
            assert part is not None
            part.name = name
            yield from commands(part, own)


def read_from_the_environment(ctx: click.Context) -> list[click.Option]:
    told = ctx.command.make_context(ctx.info_name, ["x"], parent=ctx.parent, resilient_parsing=True)
    return [
        each
        for each in ctx.command.get_params(ctx)
        if isinstance(each, click.Option)
        and told.get_parameter_source(str(each.name)) is ParameterSource.ENVIRONMENT
    ]


def test_each_option_has_one_variable_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong, tried = [], 0
    for ctx in commands(app):  # as a program that runs the command by another name
        names = ctx.help_option_names
        ctx.command.make_context("other", ["x"], resilient_parsing=True, help_option_names=names)
    for ctx in commands(app):
        for option in ctx.command.get_params(ctx):
            if not isinstance(option, click.Option):
                continue
            path, flag = ctx.command_path, max(option.opts, key=len).removeprefix("--")
            by_rule = f"{path} {flag}"
            shown = re.search(r"\[env var: (\w+)", (option.get_help_record(ctx) or ("", ""))[1])
            own = re.sub(r"\W", "_", by_rule).upper() if ctx.parent else "none"
            own = "none" if flag == "help" else shown[1] if shown else own
            others = (f"manifest {flag}", f"manifestkit {flag}", f"{path} {option.name}")
            for text in (own, by_rule, *others):
                name = re.sub(r"\W", "_", text).upper()
                monkeypatch.setenv(name, "1")
                tried += 1
                if (option in read_from_the_environment(ctx)) != (name == own):
                    wrong.append(f"{path} --{flag}: {name}, and not {own}")
                monkeypatch.delenv(name)
    assert tried > 500
    assert not wrong


def test_the_version_of_a_job_is_no_request_for_ours(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"schema_version": 1}')
    for version in ("1", "1.2"):
        seen = manifest_here("lint", cwd=tmp_path, env={"MANIFEST_VERSION": version})
        assert (seen.code, "not a valid" in seen.err) == (FINDINGS, False)
