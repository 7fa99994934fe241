"""A command whose options are made from a schema: one for each value that a manifest may have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manifestkit.authoring.questions import Question, options
from manifestkit.cli.completing import completed
from manifestkit.engine import Options, Run, Target
from manifestkit.files import is_folder, shown
from manifestkit.model.errors import ConfigurationError, ManifestkitError
from manifestkit.render import visible

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_META = f"{__name__}.asked"
_SCHEMA = "--schema"


@dataclass(frozen=True)
class Asked:
    """What a run of the command asks for.

    Attributes:
        run: judges the manifest as `manifest lint` will.
        folder: where the manifest is to stand: its configuration says what schema asks.
        questions: the values that may be given by options, by the options' names.
        params: the options, in the same order.
    """

    run: Run
    folder: str
    questions: Mapping[str, Question]
    params: tuple[click.Option, ...]

    def given(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The texts that options were given, by the options' names.

        Raises:
            ConfigurationError: one of them is empty.
        """
        texts = {
            name: settings[str(param.name)]
            for name, param in zip(self.questions, self.params, strict=True)
        }
        for name, each in texts.items():
            if "" in ([each] if isinstance(each, str) else each or ()):
                raise ConfigurationError(f"--{name}: it is empty; give it a text, or leave it out")
        return {name: each for name, each in texts.items() if each}


class AnswerCommand(click.Command):
    """Has an option for each question of the schema: that of `--schema`, or as configured.

    The configuration is that of the folder in which the command's first argument is to stand.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read `--schema` and the argument first: they say which options there are."""
        schema, file = self._ahead(ctx, args)
        folder = folder_of(Path(file)) if file else ""
        try:
            ctx.meta[_META] = _asked(Run(Options(schema=schema)), folder, ctx)
        except ManifestkitError:
            if not ctx.resilient_parsing and not {*ctx.help_option_names} & {*args}:
                raise
        return super().parse_args(ctx, args)

    def _ahead(self, ctx: click.Context, args: list[str]) -> tuple[Path | None, str | None]:
        """The file of `--schema`, and the first argument."""
        own = super().get_params(ctx)
        # Every answer is an option with a value.
        flags = {name for each in own if getattr(each, "is_flag", False) for name in each.opts}
        schema: Path | None = None
        arguments: list[str] = []
        words = iter(args)
        for word in words:
            name, equals, value = word.partition("=")
            if word == "--":
                arguments.extend(words)
            elif not word.startswith("-"):
                arguments.append(word)
            elif not equals and name not in flags:
                value = next(words, "")
            if name == _SCHEMA:
                schema = Path(value)
        return schema, next(iter(arguments), None)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own parameters, and those of the schema."""
        return [*super().get_params(ctx), *asked(ctx).params]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The schema's options first, under a heading of their own."""
        for heading, params in (
            ("Answers", asked(ctx).params),
            ("Options", tuple(super().get_params(ctx))),
        ):
            records = [
                each.get_help_record(ctx) for each in params if isinstance(each, click.Option)
            ]
            with formatter.section(heading):
                formatter.write_dl([record for record in records if record])


def asked(ctx: click.Context) -> Asked:
    """What the command of a context asks for."""
    if _META not in ctx.meta:
        ctx.meta[_META] = _asked(Run(Options(isolated=True)), "", ctx)
    found: Asked = ctx.meta[_META]
    return found


def folder_of(path: Path) -> str:
    """The folder that a manifest is to stand in, as a run names it: of a folder, itself."""
    return f"{shown(path)}/" if is_folder(path) else Target(shown(path), found=False).folder


def _asked(run: Run, folder: str, ctx: click.Context) -> Asked:
    own = click.Command.get_params(ctx.command, ctx)
    taken = {name[2:] for each in own for name in each.opts if name.startswith("--")}
    questions = options(run.schema(folder), taken)
    params = tuple(_option(name, question) for name, question in questions.items())
    return Asked(run, folder, questions, params)


def _option(name: str, question: Question) -> click.Option:
    several = question.kind in ("list", "objects")
    about = visible((question.item if several else question.field).description or "")
    return click.Option(
        [f"--{name}", f"answer_{name.replace('-', '_')}"],
        type=_Answer(question),
        multiple=several,
        help=f"{about} May be repeated." if several else about,
    )


class _Answer(click.ParamType):  # type: ignore[type-arg]  # generic only since click 8.4
    """A text; what becomes of it is the question's to say."""

    name = "text"

    def __init__(self, question: Question) -> None:
        self._question = question

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """How the help shows the value."""
        del param, ctx
        question = self._question
        if question.form:
            return visible(question.form)
        field = question.item if question.kind == "list" else question.field
        return "VALUE" if field.values else "/".join(field.types).upper().replace("STRING", "TEXT")

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The listed values that start so, each with its meaning."""
        del ctx, param
        question = self._question
        values = (question.item if question.kind == "list" else question.field).values
        return completed({str(value): meaning for value, meaning in values}, incomplete)
