"""What `import manifestkit` gives."""

from __future__ import annotations

import doctest
import pickle
from pathlib import Path

import pytest

import manifestkit
from command import EXAMPLES, modules_after
from samples import BROKEN, VALID


def test_a_manifest_is_judged_from_bytes_and_from_text() -> None:
    assert manifestkit.lint(VALID).findings == ()
    by_bytes = manifestkit.lint(BROKEN, name="a.json")
    assert by_bytes == manifestkit.lint(BROKEN.decode(), name="a.json")
    (finding,) = by_bytes.findings
    assert (finding.rule, finding.pointer, finding.path) == (
        "wrong-type",
        "/schema_version",
        "a.json",
    )


def test_without_a_name_it_is_standard_input() -> None:
    assert manifestkit.lint(BROKEN).findings[0].path == "<stdin>"


def test_a_missing_file_stands_beside_the_verdicts_on_the_others(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(BROKEN)
    report = manifestkit.lint_paths([tmp_path, str(tmp_path / "gone.json")])
    assert [each.rule for each in report.findings] == ["wrong-type"]
    (problem,) = report.unreadable
    assert problem.path.endswith("gone.json")
    assert problem.reason == "no such file"
    assert (report.summary.files, report.summary.errors) == (1, 1)
    assert report.fails


def test_a_report_with_other_results_has_their_verdict(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(BROKEN)
    report = manifestkit.lint_paths(tmp_path)
    other = report._replace(results=tuple(each._replace(fails=False) for each in report.results))
    assert (report.fails, other.fails) == (True, False)
    assert report._replace(results=()).summary.errors == 0


def test_results_can_be_sent_to_another_process() -> None:
    result = manifestkit.lint(BROKEN)
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301 - our own bytes


def test_values_are_frozen() -> None:
    (finding,) = manifestkit.lint(BROKEN).findings
    with pytest.raises(AttributeError):
        finding.rule = "other"  # type: ignore[misc]


def test_every_error_has_one_root() -> None:
    errors = [
        manifestkit.ConfigurationError,
        manifestkit.CrashedFileError,
        manifestkit.EditRefusedError,
        manifestkit.SchemaError,
        manifestkit.UnreadableFileError,
    ]
    assert all(issubclass(each, manifestkit.ManifestkitError) for each in errors)


def test_all_that_is_promised_is_there() -> None:
    assert all(hasattr(manifestkit, name) for name in manifestkit.__all__)


def test_the_example_in_the_docstring_holds() -> None:
    outcome = doctest.testmod(manifestkit)
    assert outcome.attempted
    assert not outcome.failed


def test_importing_it_imports_no_command_line(tmp_path: Path) -> None:
    loaded = modules_after("import manifestkit; manifestkit.lint('[]')", tmp_path)
    assert "manifestkit.engine.describe" in loaded
    assert "click" not in loaded
    assert not [name for name in loaded if name.startswith("manifestkit.cli")]


def test_a_clean_manifest_is_judged_without_the_engine_that_explains(tmp_path: Path) -> None:
    text = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_text("utf-8")
    loaded = modules_after(f"import manifestkit; manifestkit.lint({text!r})", tmp_path)
    explaining = {"jsonschema", "markupsafe", "referencing", "wcwidth", "manifestkit.decode.yaml"}
    assert not explaining & loaded


def test_a_clean_manifest_in_yaml_is_judged_without_the_editor(tmp_path: Path) -> None:
    text = (EXAMPLES / "valid" / "minimal.activity-provider.yaml").read_text("utf-8")
    code = f"import manifestkit; manifestkit.lint({text!r}, 'manifest.yaml')"
    loaded = modules_after(code, tmp_path)
    assert "manifestkit.decode.yaml" in loaded
    assert not {"manifestkit.edits", "inspect", "jsonschema"} & loaded


def test_a_clean_run_of_the_command_imports_what_it_needs_and_no_more(tmp_path: Path) -> None:
    example = EXAMPLES / "valid" / "minimal.activity-provider.json"
    (tmp_path / "manifest.json").write_bytes(example.read_bytes())
    code = (
        "import sys\n"
        "from manifestkit.__main__ import main\n"
        "sys.argv = ['manifest', 'lint', '--quiet']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass"
    )
    loaded = modules_after(code, tmp_path)
    ours = {
        "config.baseline",
        "config.file",
        "edits",
        "engine.describe",
        "engine.groups",
        "engine.suppressions",
        "findings.advice",
        "findings.fixes",
        "schema.loading",
        "schema.suggest",
    }
    others = {
        *("difflib", "html", "markupsafe", "textwrap", "wcwidth"),
        *("multiprocessing", "shutil", "tempfile"),
    }
    unwanted = {*others, *(f"manifestkit.{name}" for name in ours)}
    assert "jsonschema_rs" in loaded
    assert not unwanted & loaded


@pytest.mark.parametrize("topic", ["unknown-permission", "/provider/id", "host.haptics"])
def test_what_is_explained_by_our_schema_needs_no_engine_of_schemas(
    topic: str, tmp_path: Path
) -> None:
    code = (
        f"from manifestkit.cli.main import app; app(['explain', {topic!r}], standalone_mode=False)"
    )
    assert "jsonschema" not in modules_after(code, tmp_path)
