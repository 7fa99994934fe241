"""Every recipe of `docs/ci.md` runs, and leaves what its platform then reads."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from action import run_step
from checkout import git, make_repository
from command import CLEAN, USAGE, manifest
from folders import tree
from readers import parsed_xml, workflow_command
from report_cases import EXAMPLES, GOLDEN, REPOSITORY
from rows import rows

PAGE = (REPOSITORY / "docs" / "ci.md").read_text("utf-8")
ACTION = yaml.safe_load((REPOSITORY / "action.yml").read_text("utf-8"))
VERSION = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]["version"]

_BLOCK = re.compile(
    r"^```(yaml|groovy|markdown)\n(?:#|//|<!--) (\S+)(?: -->)?\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
RECIPES = [(kind, name, text) for kind, name, text in _BLOCK.findall(PAGE)]


def scripts(text: str, kind: str) -> list[str]:
    """The shell scripts of a recipe, in order."""
    if kind == "groovy":
        return re.findall(r"^ *sh '(.*)'$", text, re.MULTILINE)
    if kind == "markdown":
        return re.findall(r"`(manifest .*?)`", text)
    return list(_scripts(yaml.safe_load(text)))


_SHELLS = {
    "": "{}",
    "bash": "set -o pipefail\n{}",
    "python": f"{sys.executable} - <<'END'\n{{}}\nEND",
}
"""How the shells of GitHub run a script; the one that no step names is `bash -e`."""


def _scripts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if str(value.get("uses", "")).startswith("manifestkit/manifestkit@"):
            yield _as_script(value.get("with", {}))
        for key, each in value.items():
            if key in {"run", "script"}:
                for script in [each] if isinstance(each, str) else each:
                    yield _SHELLS[value.get("shell", "")].format(script)
            else:
                yield from _scripts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _scripts(each)


def _as_script(given: dict[str, str]) -> str:
    """What the action runs for the inputs of a recipe."""
    assert given.keys() <= ACTION["inputs"].keys()
    inputs = {name: each["default"] for name, each in ACTION["inputs"].items()} | given
    (step,) = (each for each in ACTION["runs"]["steps"] if each["id"] == "lint")
    exports = []
    for name, value in step["env"].items():
        source = re.fullmatch(r"\$\{\{ inputs\.(\S+) \}\}", value)
        if source:
            exports.append(f"export {name}={_quoted(inputs[source[1]])}\n")
    return f"set -o pipefail\n{''.join(exports)}{step['run']}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a good and a broken manifest."""
    root = tmp_path / "repository"
    root.mkdir()
    shutil.copy(EXAMPLES / "valid" / "minimal.activity-provider.json", root)
    shutil.copy(GOLDEN / "broken" / "unknown-permission-typo.manifest.json", root)
    return root


@pytest.fixture
def machine(tmp_path: Path, stand_in: Path) -> dict[str, str]:
    """The environment of a build: our command, and a stand-in for each program of others."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    said = tmp_path / "said"
    said.mkdir()
    stand_ins = {
        "pip": f'echo "$@" >> {said}/pip',
        "reviewdog": f'echo "$@" >> {said}/reviewdog; cat > {said}/findings.sarif',
        "gh": f'echo "$@" >> {said}/gh',
    }
    for name, script in stand_ins.items():
        file = bin_folder / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
    (bin_folder / "manifest").symlink_to(stand_in)
    (tmp_path / "artifacts").mkdir()
    return {
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "PYTHONUTF8": "1",
        "PYTHONUSERBASE": str(tmp_path),
        "PYTHON": str(stand_in),
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "BUILD_ARTIFACTSTAGINGDIRECTORY": str(tmp_path / "artifacts"),
        "PULL_REQUEST": "7",
        "TERM": "dumb",
    }


def run(script: str, project: Path, machine: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/bash", "-e", "-c", script],
        cwd=project,
        env=machine,
        capture_output=True,
        text=True,
        check=False,
    )


def by_name(name: str) -> tuple[str, str]:
    """The kind and text of a recipe."""
    (found,) = [(kind, text) for kind, each, text in RECIPES if each == name]
    return found


def run_recipe(name: str, project: Path, machine: dict[str, str]) -> tuple[list[int], str]:
    """The exit codes of a recipe's scripts, and what they print."""
    kind, text = by_name(name)
    done = [run(script, project, machine) for script in scripts(text, kind)]
    for each in done:
        assert "Traceback" not in each.stderr
        assert "not found" not in each.stderr, each.stderr
    return [each.returncode for each in done], "".join(each.stdout for each in done)


def test_every_platform_has_a_recipe() -> None:
    assert [name for _, name, _ in RECIPES] == [
        ".github/workflows/manifests.yml",
        ".github/workflows/manifests-scan.yml",
        ".github/workflows/manifests-approval.yml",
        ".github/workflows/manifests-hosts.yml",
        ".github/workflows/manifests-ids.yml",
        ".gitlab-ci.yml",
        "azure-pipelines.yml",
        "Jenkinsfile",
        ".github/workflows/manifests-review.yml",
        ".pre-commit-config.yaml",
        "AGENTS.md",
    ]
    assert PAGE.count("```") == 2 * len(RECIPES), "no block is left untested"


def test_github_gets_annotations(project: Path, machine: dict[str, str]) -> None:
    job = {**machine, "GITHUB_ACTIONS": "true"}
    codes, shown = run_recipe(".github/workflows/manifests.yml", project, job)
    assert codes[-1] == 1
    (command,) = filter(None, map(workflow_command, shown.splitlines()))
    assert command.properties["title"] == "unknown-permission"
    assert command.properties["file"] == "unknown-permission-typo.manifest.json"


def test_code_scanning_gets_its_file(project: Path, machine: dict[str, str]) -> None:
    (project / "b.manifest.json").write_text('{"permissions": ["host.camera"]}', "utf-8")
    assert run("manifest lint b.manifest.json --write-baseline b", project, machine).returncode == 0
    (project / "manifestkit.toml").write_text('baseline = "b"\n', "utf-8")
    codes, shown = run_recipe(".github/workflows/manifests-scan.yml", project, machine)
    assert (codes, shown) == ([0, 0], "")
    _, text = by_name(".github/workflows/manifests-scan.yml")
    (upload,) = [
        step["with"]
        for step in yaml.safe_load(text)["jobs"]["scan"]["steps"]
        if "upload-sarif" in step.get("uses", "")
    ]
    log = json.loads((project / upload["sarif_file"]).read_text("utf-8"))
    assert [each["ruleId"] for each in log["runs"][0]["results"]] == ["unknown-permission"]


def test_a_matrix_has_a_job_for_each_profile(project: Path, machine: dict[str, str]) -> None:
    (project / "unknown-permission-typo.manifest.json").unlink()
    _, text = by_name(".github/workflows/manifests-hosts.yml")
    calm, phones = yaml.safe_load(text)["jobs"]["lint"]["strategy"]["matrix"]["profile"]
    (project / "hosts").mkdir()
    (project / calm).write_text('{"required": ["support_email"]}')
    (project / phones).write_text('{"required": ["provider"]}')
    ended = {}
    for profile in (calm, phones):
        (script,) = scripts(text.replace("${{ matrix.profile }}", profile), "yaml")
        ended[profile] = run(script, project, machine)
    assert (ended[calm].returncode, ended[phones].returncode) == (1, 0)
    assert "support_email" in ended[calm].stdout


def test_a_provider_id_that_two_manifests_have_is_printed(
    project: Path, machine: dict[str, str]
) -> None:
    name = ".github/workflows/manifests-ids.yml"
    for file in ("a/manifest.json", "b/c/box.manifest.yaml"):
        (project / file).parent.mkdir(parents=True)
        (project / file).write_text(f"{{'provider': {{'id': 'com.example.{file[0]}'}}}}", "utf-8")
    (project / "a" / "manifest.json").write_text('{"provider": {"id": "com.example.a"}}', "utf-8")
    assert run_recipe(name, project, machine) == ([0, 0, 0], "")
    (project / "c.manifest.json").write_text('{"provider": {"id": "com.example.b"}}', "utf-8")
    *_, script = scripts(by_name(name)[1], "yaml")
    assert run("manifest lint --show-files >manifests.txt", project, machine).returncode == 0
    ended = run(script, project, machine)
    twice = "com.example.b: b/c/box.manifest.yaml, c.manifest.json\n"
    assert (ended.returncode, ended.stderr) == (1, twice)


@rows("content", ["{", "[]", '{"provider": {}}', '{"provider": {"id": 1}}'])
def test_ids_that_cannot_be_compared_fail(
    content: str, project: Path, machine: dict[str, str]
) -> None:
    (project / "a.manifest.json").write_text(content, "utf-8")
    codes, _ = run_recipe(".github/workflows/manifests-ids.yml", project, machine)
    assert codes == [0, 0, 1]


def test_without_a_manifest_no_ids_are_compared(tmp_path: Path, machine: dict[str, str]) -> None:
    (tmp_path / "empty").mkdir()
    codes, _ = run_recipe(".github/workflows/manifests-ids.yml", tmp_path / "empty", machine)
    assert codes[:2] == [0, 2]


def test_gitlab_gets_its_reports(project: Path, machine: dict[str, str]) -> None:
    codes, shown = run_recipe(".gitlab-ci.yml", project, machine)
    assert codes == [0, 1]
    assert "unknown-permission" in shown
    _, text = by_name(".gitlab-ci.yml")
    reports = yaml.safe_load(text)["manifests"]["artifacts"]["reports"]
    (issue,) = json.loads((project / reports["codequality"]).read_text("utf-8"))
    assert issue["check_name"] == "unknown-permission"
    assert len(list(parsed_xml((project / reports["junit"]).read_text("utf-8")))) == 2


def test_azure_gets_its_reports(project: Path, machine: dict[str, str]) -> None:
    codes, _ = run_recipe("azure-pipelines.yml", project, machine)
    assert codes == [0, 1]
    _, text = by_name("azure-pipelines.yml")
    (tests,) = [each["inputs"] for each in yaml.safe_load(text)["steps"] if "Test" in str(each)]
    assert len(list(parsed_xml((project / tests["testResultsFiles"]).read_text("utf-8")))) == 2
    (scan,) = Path(machine["BUILD_ARTIFACTSTAGINGDIRECTORY"]).iterdir()
    assert json.loads(scan.read_text("utf-8"))["version"] == "2.1.0"


def test_jenkins_gets_its_reports(project: Path, machine: dict[str, str]) -> None:
    codes, _ = run_recipe("Jenkinsfile", project, machine)
    assert codes == [0, 1]
    _, text = by_name("Jenkinsfile")
    (scan,) = re.findall(r"sarif\(pattern: '(.+)'\)", text)
    (log,) = json.loads((project / scan).read_text("utf-8"))["runs"]
    assert [each["ruleId"] for each in log["results"]] == ["unknown-permission"]
    (tests,) = re.findall(r"junit '(.+)'", text)
    assert len(list(parsed_xml((project / tests).read_text("utf-8")))) == 2


def test_reviewdog_gets_findings_with_fixes(project: Path, machine: dict[str, str]) -> None:
    codes, _ = run_recipe(".github/workflows/manifests-review.yml", project, machine)
    assert codes == [0, 0]
    said = Path(machine["HOME"]) / "said"
    assert "-f=sarif" in (said / "reviewdog").read_text()
    (log,) = json.loads((said / "findings.sarif").read_text("utf-8"))["runs"]
    (result,) = log["results"]
    assert result["fixes"]


def test_pre_commit_finds_the_hook(project: Path, machine: dict[str, str]) -> None:
    _, text = by_name(".pre-commit-config.yaml")
    (repo,) = yaml.safe_load(text)["repos"]
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert repo["rev"] == f"v{VERSION}"
    for asked in repo["hooks"]:
        (hook,) = [each for each in hooks if each["id"] == asked["id"]]
        files = [each.name for each in project.iterdir() if re.search(hook["files"], each.name)]
        done = run(" ".join([hook["entry"], *files]), project, machine)
        assert done.returncode == 1
        assert "unknown-permission" in done.stdout


def test_an_agent_finds_explains_and_fixes(project: Path, machine: dict[str, str]) -> None:
    kind, text = by_name("AGENTS.md")
    lint, fix, explain, schema = scripts(text, kind)

    checked = run(lint, project, machine)
    (finding,) = json.loads(checked.stdout)["findings"]
    assert checked.returncode == 1
    (listed,) = re.findall(r"Each has (.*?)\.$", text, re.MULTILINE)
    assert finding.keys() >= set(re.findall(r"`(\w+)`", listed))
    for name in (finding["rule"], finding["suggestion"], "/provider/id"):
        explained = run(explain.replace("NAME", name), project, machine)
        assert (explained.returncode, name in explained.stdout) == (0, True)
    printed = json.loads(run(schema, project, machine).stdout)
    assert printed["title"] == "Activity provider manifest"
    assert run(fix, project, machine).returncode == 0
    again = run(lint, project, machine)
    assert (again.returncode, json.loads(again.stdout)["findings"]) == (0, [])


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The two checkouts of a host's workflow: what is published, and a submission."""
    folder = tmp_path / "workspace"
    shutil.copytree(EXAMPLES / "host", folder / "host")
    make_repository(folder / "host")
    git(folder, "clone", "--quiet", "host", "submission")
    box = folder / "submission" / "providers" / "com.example.box" / "manifest.json"
    box.write_text(box.read_text().replace('["host.timer"]', '["host.timer", "context.goals"]'))
    other = folder / "submission" / "providers" / "com.example.other" / "manifest.json"
    other.parent.mkdir()
    other.write_text(box.read_text().replace("example.box", "example.other"))
    (folder / "submission" / "host.schema.yaml").unlink()
    (folder / "submission" / "manifestkit.toml").write_text('exclude = ["*"]\n')
    git(folder / "submission", "add", "--all")
    git(folder / "submission", "commit", "--quiet", "--message=a submission")
    return folder


def _of_changed_files() -> str:
    found: list[str] = re.findall(r"^    (git .* diff (?:.*\n)+?.* <changed)$", PAGE, re.MULTILINE)
    (script,) = found
    return script


def test_changed_files_and_the_hooks_have_the_names_that_a_search_takes(
    project: Path, machine: dict[str, str]
) -> None:
    stems = ("manifest", ".manifest", "x.manifest", "x.activity-provider", ".activity-provider")
    others = ("asset-manifest", "manifests", "oauth-provider", "activity-provider", "Manifest")
    make_repository(project)
    git(project, "update-ref", "refs/remotes/origin/main", "HEAD")
    for folder, stem, suffix in itertools.product(
        ("", "a/b/"), stems + others, (".json", ".yaml", ".yml", ".YML", ".yxml", ".jsonc", "")
    ):
        file = project / f"{folder}{stem}{suffix}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")
    git(project, "add", "--all")
    git(project, "commit", "-qm", "more")
    search, _, _ = _of_changed_files().partition(" >changed")
    changed = set(run(search, project, machine).stdout.split("\0")) - {""}
    found = set(run("manifest lint --show-files", project, machine).stdout.split())
    committed = {"minimal.activity-provider.json", "unknown-permission-typo.manifest.json"}
    assert changed == found - committed
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text("utf-8"))
    every = [each.relative_to(project).as_posix() for each in project.rglob("*")]
    for pattern in {each["files"] for each in hooks if "files" in each}:
        assert {each for each in every if re.search(pattern, each)} == found


@pytest.fixture
def deployed(project: Path) -> tuple[Path, dict[str, Any]]:
    """A repository that ignores its build, and the inputs of the action that deploys that."""
    page = (REPOSITORY / "docs" / "tutorials" / "publishing.md").read_text("utf-8")
    (block,) = re.findall(r"```yaml\n( +- uses: manifestkit/(?:.*\n)+?)```", page)
    (step,) = yaml.safe_load(block)
    (project / ".gitignore").write_text("/dist/\n")
    make_repository(project)
    (project / "dist").mkdir()
    shutil.copy(project / "minimal.activity-provider.json", project / "dist" / "manifest.json")
    return project, step["with"]


def test_the_action_checks_a_build_that_git_ignores(
    deployed: tuple[Path, dict[str, Any]], machine: dict[str, str]
) -> None:
    folder, inputs = deployed
    ended = run(_as_script(inputs), folder, machine)
    assert (ended.returncode, ended.stderr) == (0, "1 file checked: no problems found\n")


def test_the_action_deploys_no_more_than_the_steps_that_it_replaces(
    deployed: tuple[Path, dict[str, Any]],
) -> None:
    folder, inputs = deployed
    file = folder / "dist" / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "thumbnail": "gone.png"}))
    arguments = f"{inputs['deploy-args']}--dry-run\n"
    ended = run_step("deploy", folder, deploy=inputs["deploy"], deploy_args=arguments)
    assert (ended.returncode, "missing-file" in ended.stdout) == (1, True), ended


def test_the_gate_of_a_release_compares_with_the_last_one(
    project: Path, machine: dict[str, str]
) -> None:
    page = (REPOSITORY / "docs" / "tutorials" / "publishing.md").read_text("utf-8")
    (gate,) = re.findall(r"`(manifest diff .*?)`", page)
    make_repository(project)
    assert run(gate, project, machine).returncode == USAGE, "no release is none to compare with"
    git(project, "tag", "v1")
    file = project / "minimal.activity-provider.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "permissions": ["host.timer"]}))
    git(project, "commit", "-qam", "more")
    ended = run(gate, project, machine)
    assert (ended.returncode, "permission-added" in ended.stdout) == (1, True)
    git(project, "tag", "v2")
    assert run(gate, project, machine).returncode == CLEAN


def test_only_what_a_branch_changes_is_linted_by_the_command_of_the_page(
    project: Path, machine: dict[str, str]
) -> None:
    script = _of_changed_files()
    make_repository(project)
    git(project, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(project, "checkout", "-q", "--detach")
    git(project, "branch", "-q", "-D", "main")  # as a build has it
    assert run(script, project, machine).returncode == CLEAN
    (base,) = re.findall(r"`manifest diff` needs `(--base [^`]*)`", PAGE)
    git(project, "checkout", "-q", "-b", "ahead")
    git(project, "rm", "-q", "minimal.activity-provider.json")
    git(project, "commit", "-qm", "what main did since")
    git(project, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(project, "checkout", "-q", "--detach", "HEAD~1")
    assert "added" in run("manifest diff --base origin/main", project, machine).stdout
    ended = run(f"manifest diff {base}", project, machine)
    assert (ended.returncode, ended.stdout) == (CLEAN, "")
    for name in ("a b/manifest.json", "x.manifest.yaml", "y.activity-provider.yml"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("{}")
    (project / "minimal.activity-provider.json").unlink()
    git(project, "add", "--all")
    git(project, "commit", "-qm", "more")
    ended = run(script, project, machine)
    assert ended.returncode == 123
    told = {line.partition(":")[0] for line in ended.stdout.splitlines()}
    assert told == {"a b/manifest.json", "x.manifest.yaml", "y.activity-provider.yml"}


def test_the_comparison_of_the_page_that_only_reports_passes_with_findings_and_no_other_error(
    project: Path, machine: dict[str, str]
) -> None:
    page = (REPOSITORY / "docs" / "commands.md").read_text("utf-8")
    (script,) = re.findall(r"`(manifest diff [^`]* \|\| [^`]*)`", page)
    make_repository(project)
    file = project / "minimal.activity-provider.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "permissions": ["host.timer"]}))
    ended = run(script, project, machine)
    assert ("error permission-added" in ended.stdout, ended.returncode) == (True, CLEAN)
    assert run(script.replace("main", "gone"), project, machine).returncode != CLEAN


def test_the_approval_of_the_page_lets_one_permission_through(
    tmp_path: Path, machine: dict[str, str]
) -> None:
    (entry,) = re.findall(r"^    \[\[suppress.*(?:\n    .*)*", PAGE, re.MULTILINE)
    file = tmp_path / "box" / "manifest.json"
    file.parent.mkdir()
    shutil.copy(EXAMPLES / "valid" / "minimal.activity-provider.json", file)
    make_repository(tmp_path)
    valid = re.sub("expires = .*", "expires = 9999-12-31", entry)
    (tmp_path / "manifestkit.toml").write_text(valid)
    contents = json.loads(file.read_text())
    for permissions, code in ((["host.timer"], 0), (["context.goals", "host.timer"], 1)):
        file.write_text(json.dumps({**contents, "permissions": permissions}))
        ended = run("manifest diff --base HEAD", tmp_path, machine)
        assert ended.returncode == code, ended
        assert "`host.timer`" not in ended.stdout
    other = {**contents, "provider": {**contents["provider"], "id": "com.example.other"}}
    (tmp_path / "new.manifest.json").write_text(json.dumps(other))
    (settings,) = re.findall(r"`env: \{ (\w+): (\S+) \}`", PAGE)
    weighed = run("manifest diff --base HEAD", tmp_path, {**machine, settings[0]: settings[1]})
    assert "error manifest-added " in weighed.stdout


def _reviewed(
    workspace: Path, machine: dict[str, str]
) -> dict[str, subprocess.CompletedProcess[str]]:
    """What the steps of a host's workflow print and return, by their names."""
    workflow = EXAMPLES / "host" / ".github" / "workflows" / "submission.yml"
    (job,) = yaml.safe_load(workflow.read_text("utf-8"))["jobs"].values()
    of_github = {"github.base_ref": "main", "github.workspace": str(workspace)}
    settings = {
        name: re.sub(r"\$\{\{ (.*?) \}\}", lambda hole: of_github[hole[1]], value)
        for name, value in job["env"].items()
    }
    gh = Path(machine["PATH"].split(os.pathsep)[0]) / "gh"
    gh.write_text(f"#!/bin/sh\ncat > {_quoted(str(workspace / 'comment.md'))}\n")
    ended: dict[str, subprocess.CompletedProcess[str]] = {}
    for step in job["steps"]:
        is_held = "steps.links.outcome" in step.get("if", "") and ended["No links"].returncode
        if "run" in step and not is_held:
            ended[step.get("name")] = run(
                step["run"],
                workspace / step.get("working-directory", "."),
                {**machine, **settings, "GITHUB_ACTIONS": "true"},
            )
    return ended


def test_a_submission_to_a_host_is_linted_compared_shown_and_commented(
    workspace: Path, machine: dict[str, str]
) -> None:
    ended = _reviewed(workspace, machine)
    assert [each.returncode for each in ended.values()] == [0, 0, 1, 0, 0, 0, 1, 0, 0], ended
    assert "permission-added" in ended["Compare with what is published"].stdout
    assert "manifest-added" in ended["Compare with what is published"].stdout
    pages = {each.name: each.read_text("utf-8") for each in (workspace / "previews").iterdir()}
    assert sorted(pages) == [f"com.example.{each}_manifest.json.html" for each in ("box", "other")]
    assert "context.goals" in pages["com.example.box_manifest.json.html"]
    said = (workspace / "comment.md").read_text("utf-8")
    assert "no problems found" in said
    assert "permission-added" in said


def test_a_manifest_that_is_moved_or_has_another_name_is_shown(
    workspace: Path, machine: dict[str, str]
) -> None:
    submission = workspace / "submission"
    git(submission, "checkout", "origin/main", "--", ".", ":!providers")
    git(submission, "mv", "providers/com.example.box", "providers/com.example.moved")
    other = submission / "providers" / "com.example.other"
    (other / "manifest.json").rename(other / "x.manifest.yaml")
    git(submission, "add", "--all")
    git(submission, "commit", "--quiet", "--message=moved")
    assert _reviewed(workspace, machine)["Preview"].returncode == 0
    shown = sorted(each.name for each in (workspace / "previews").iterdir())
    names = ["moved_manifest.json", "other_x.manifest.yaml"]
    assert shown == [f"com.example.{name}.html" for name in names]
    git(submission, "update-ref", "refs/remotes/origin/main", "HEAD")
    (other / "x.manifest.yaml").write_text("provider:\n  id: com.example.other\n")
    shutil.rmtree(workspace / "previews")
    git(submission, "commit", "--quiet", "--all", "--message=YAML")
    assert _reviewed(workspace, machine)["Preview"].returncode == 0
    assert [each.name for each in (workspace / "previews").iterdir()] == [
        f"com.example.{names[1]}.html"
    ]


@pytest.mark.parametrize(
    ("to", "rule"),
    [
        ("", "manifest-removed"),
        ("providers/com.example.box/foo.json", "manifest-moved"),
        ("providers/com.example.box/box.manifest.json", "manifest-moved"),
    ],
)
def test_a_submission_that_takes_a_published_manifest_away_does_not_pass(
    to: str, rule: str, workspace: Path, machine: dict[str, str]
) -> None:
    submission = workspace / "submission"
    git(submission, "checkout", "--quiet", "origin/main")
    published = "providers/com.example.box/manifest.json"
    git(submission, *(("mv", published, to) if to else ("rm", published)))
    git(submission, "commit", "--quiet", "--message=away")
    step = _reviewed(workspace, machine)["Compare with what is published"]
    assert step.returncode == 1
    assert f"title={rule}::" in next(x for x in step.stdout.splitlines() if x.startswith("::error"))


@pytest.mark.parametrize("name", ["manifest.yaml", "deep/x.manifest.yml", "y.manifest.json"])
def test_a_submission_with_the_id_of_another_provider_does_not_pass(
    name: str, workspace: Path, machine: dict[str, str]
) -> None:
    providers = workspace / "submission" / "providers"
    same = providers / "org.evil" / name
    same.parent.mkdir(parents=True)
    same.write_text((providers / "com.example.box" / "manifest.json").read_text())
    step = _reviewed(workspace, machine)["Provider ids are unique"]
    assert (step.returncode, step.stdout) == (1, "several manifests have the id com.example.box\n")


@pytest.mark.parametrize("link", ["providers", "providers/org.l", "providers/org.l/manifest.json"])
def test_a_submission_behind_a_link_does_not_pass_and_is_not_read(
    link: str, workspace: Path, machine: dict[str, str]
) -> None:
    submission = workspace / "submission"
    tree(workspace, "out/org.l/manifest.json", content=b'{"provider": {"id": "hunter2"}}')
    if link == "providers":
        shutil.rmtree(submission / link)
    (submission / link).parent.mkdir(exist_ok=True)
    (submission / link).symlink_to(workspace / link.replace("providers", "out"))
    git(submission, "add", "--all")
    git(submission, "commit", "--quiet", "--message=a link")
    ended = _reviewed(workspace, machine)
    assert ended["No links"].returncode == 1
    assert ended["No links"].stdout.endswith(f"\t{link}\n")
    assert ended.keys().isdisjoint({"Lint", "Comment", "Preview"})
    assert "hunter2" not in str(ended)


def test_what_a_submission_changes_elsewhere_does_not_pass_and_what_is_not_checked_is_named(
    workspace: Path, machine: dict[str, str]
) -> None:
    submission = workspace / "submission"
    tree(submission, "providers/org.l/activity.json", content=b"{}")
    git(submission, "add", "--all")
    git(submission, "commit", "--quiet", "--message=a file by another name")
    ended = _reviewed(workspace, machine)
    unlike = "not checked, as they are not named like manifests: providers/org.l/activity.json"
    assert unlike in ended["Lint"].stderr
    git(submission, "checkout", "origin/main", "--", ".", ":!providers")
    git(submission, "commit", "--quiet", "--message=only providers")
    assert _reviewed(workspace, machine)["Only providers change"].returncode == 0
    settings = submission / "manifestkit.toml"
    settings.write_text(f'ignore = ["permission-added"]\n{settings.read_text()}')
    git(submission, "commit", "--quiet", "--all", "--message=an ignored rule")
    step = _reviewed(workspace, machine)["Only providers change"]
    assert (step.returncode, step.stdout) == (1, "M\tmanifestkit.toml\n")


def test_what_a_new_provider_asks_for_after_its_approval_still_fails(
    workspace: Path, machine: dict[str, str]
) -> None:
    settings = workspace / "host" / "manifestkit.toml"
    path, reason = 'path = "providers/com.example.other/manifest.json"', 'reason = "known"'
    approved = ('"manifest-added"', '"first-permission"\npointer = "/permissions/host.timer"')
    entries = [f"[[suppress]]\nrule = {rule}\n{path}\n{reason}\n" for rule in approved]
    settings.write_text("\n".join([settings.read_text(), *entries]))
    git(workspace / "host", "commit", "--quiet", "--all", "--message=an approval")
    git(workspace / "submission", "fetch", "--quiet")
    told = _reviewed(workspace, machine)["Compare with what is published"].stdout
    (about_other,) = [each for each in told.splitlines() if "example.other" in each]
    assert "title=first-permission::a new provider asks for `context.goals` (" in about_other


def test_the_files_of_a_host_say_the_same(tmp_path: Path, regenerate: bool) -> None:
    host = tmp_path / "host"
    shutil.copytree(EXAMPLES / "host", host)
    assert manifest("profile", "test", "tests", cwd=host).code == CLEAN
    assert manifest("lint", "providers", cwd=host).code == CLEAN
    listed = manifest("explain", "--output-format=markdown", cwd=host)
    if regenerate:
        (EXAMPLES / "host" / "rules.md").write_text(listed.out, "utf-8")
        (host / "rules.md").write_text(listed.out, "utf-8")
    assert listed.out == (host / "rules.md").read_text("utf-8")


@rows(("kind", "name", "text"), RECIPES, ids=[each[1] for each in RECIPES])
def test_a_recipe_installs_this_version_and_pins_what_it_uses(
    kind: str, name: str, text: str
) -> None:
    del name
    for script in scripts(text, kind):
        if script.startswith("pip "):
            assert script.split()[-1] == f"manifestkit=={VERSION}"
    for action, pin in re.findall(r"uses: ([^@\s]+)@(\S+)", text):
        own = action == "manifestkit/manifestkit"
        assert re.fullmatch(re.escape(f"v{VERSION}") if own else "[0-9a-f]{40}", pin)
    for expression in re.findall(r"^.*\$\{\{.*$", text, re.MULTILINE):
        # The action's inputs are environment variables to its scripts, too.
        into_a_variable = re.match(r" +(?:[A-Z_]+|diff-base|args): \S*\$\{\{", expression)
        assert into_a_variable
