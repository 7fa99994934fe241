"""`manifest explain` says what the schemas say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from wcwidth import wcswidth

from command import CLEAN, USAGE
from in_process import manifest_here
from judging import BASE, CHANGE_FILES, RULE_FILES, SECTION_2
from manifestkit.config.configuration import ALWAYS
from manifestkit.findings.words import label
from manifestkit.model.pointer import format_pointer
from manifestkit.rendering.escape import Style
from manifestkit.rendering.explanation import explain_field, explain_rule
from manifestkit.rules.catalogue import catalogue
from manifestkit.rules.rule import Rule
from manifestkit.schema.packaged import base_schema
from readers import forged_commands
from rows import rows

HERE = Path(__file__).parent


def explain(topic: str) -> str:
    outcome = manifest_here("explain", topic, cwd=HERE)
    assert (outcome.code, outcome.err) == (CLEAN, "")
    return outcome.out


def sections(text: str) -> dict[str, str]:
    """The parts of an explanation by their headings."""
    found: dict[str, str] = {}
    heading = ""
    for line in text.splitlines()[1:]:
        if line and not line.startswith(" "):
            heading = line
            found.setdefault(heading, "")
        else:
            found[heading] = found.get(heading, "") + line.strip() + "\n"
    return found


@rows("rule", catalogue().values(), ids=lambda rule: rule.id)
def test_a_rule_is_explained_by_what_its_file_says(rule: Rule) -> None:
    text = "".join(explain_rule(rule).text(Style(width=400)))
    for part in (rule.id, rule.title, rule.description, rule.clause, rule.help):
        assert part in text
    for heading in ("Based on", "What to do", "How to suppress it"):
        assert f"\n{heading}\n" in text
    assert ("\nBad\n" in text) == (rule.bad.manifest != "")
    silent = rule.id in ALWAYS
    assert (f"--ignore {rule.id}" in text) == (not silent)
    assert all(line == line.rstrip() for line in text.splitlines())


def test_the_command_explains_a_rule() -> None:
    text = explain("unknown-permission")
    assert text.startswith("unknown-permission\n")
    found = sections(text)
    assert json.loads(found["Bad"]) == {"permissions": ["host.haptic"]}
    assert '-     "host.haptic"\n+     "host.haptics"\n' in found["What to do"]


@rows(
    "rule",
    [rule for rule in catalogue().values() if rule.bad.manifest != ""],
    ids=lambda rule: rule.id,
)
def test_what_to_do_shows_the_change_or_the_good_example(rule: Rule) -> None:
    """The words alone can be a tautology: "add the member"."""
    found = sections("".join(explain_rule(rule).text(Style(width=400))))
    lines = found["What to do"].splitlines()
    is_change = any(each.startswith(("+ ", "- ")) for each in lines)
    assert is_change != any(each.startswith("Good") for each in found)
    assert "add the member" not in lines


def test_every_keyword_of_a_schema_is_explained_by_one_rule() -> None:
    told = explain("schema-minLength")
    assert told == explain("schema-keyword").replace("schema-keyword", "schema-minLength")
    assert "`--ignore schema-minLength`" in told


def test_what_is_no_keyword_of_a_schema_is_no_rule() -> None:
    for topic, hint in (("schema-nosuch", "`manifest explain` lists"), ("schema-minLenght", "did")):
        outcome = manifest_here("explain", topic, cwd=HERE)
        assert (outcome.code, outcome.out) == (USAGE, "")
        assert f"`{topic}` is not a rule, member or listed value; {hint}" in outcome.err


def _fields(schema: dict[str, Any], path: tuple[str | int, ...] = ()) -> list[Any]:
    if "$ref" in schema:
        schema = {**SECTION_2["$defs"][schema["$ref"].rsplit("/", 1)[-1]], **schema}
    found = [(path, schema)]
    for name, each in schema.get("properties", {}).items():
        found += _fields(each, (*path, name))
    if "items" in schema:
        found += _fields(schema["items"], (*path, 0))
    return found


FIELDS = _fields(SECTION_2)


def test_every_field_of_the_document_is_tried() -> None:
    assert len(FIELDS) == 1 + 7 + 3 + 2 + 1 + 1 + 6 + 1 + 2


@rows(
    ("written", "pointer"),
    [
        ("activities[*].name", "/activities/*/name"),
        *((label(path).strip("`"), format_pointer(path)) for path, _ in FIELDS if len(path) > 1),
    ],
)
def test_a_path_is_explained_as_messages_write_it(written: str, pointer: str) -> None:
    explained = manifest_here("explain", pointer)
    assert explained.code == CLEAN
    assert manifest_here("explain", written) == explained


@rows("index", ["0", "*", "7", "box"])
def test_an_item_is_explained_by_any_index(index: str) -> None:
    text = explain(f"/activities/{index}/surfaces")
    assert text.startswith("/activities/*/surfaces (Surfaces)\n")


@rows("field", FIELDS, ids=lambda field: format_pointer(field[0]) or "the manifest")
def test_every_field_is_explained_by_what_the_schema_says(field: Any) -> None:
    path, schema = field
    found_there = base_schema().find(map(str, path))
    assert found_there is not None
    text = "".join(explain_field(base_schema(), *found_there).text(Style(width=400)))
    assert schema["description"] in text
    assert schema["title"] in text
    found = sections(text)
    assert found["Type"].startswith(schema["type"])
    assert found["Based on"].startswith("manifest format, section 2")
    for value, meaning in zip(
        schema.get("enum", ()), schema.get("markdownEnumDescriptions", ()), strict=True
    ):
        assert f"- `{value}`: {meaning}" in found["Allowed values"]
    for name in schema.get("properties", ()):
        need = "required" if name in schema.get("required", ()) else "optional"
        assert f"- `{name}` ({need}): " in found["Members"]


@rows(
    ("topic", "parts"),
    [
        (
            "host.haptics",
            ["As a permission, in /permissions", "Use the host's haptics, such as vibration."],
        ),
        (
            "host.haptic",
            ["As a capability, in /capabilities", "Give haptic feedback, such as vibration."],
        ),
        (
            "activity.complete",
            ["As a permission", "Report an activity", "As a capability", "Complete an activity."],
        ),
    ],
)
def test_a_listed_value_is_explained_in_each_of_its_lists(topic: str, parts: list[str]) -> None:
    text = explain(topic)
    assert all(part in text for part in parts)


@rows(
    ("topic", "words"),
    [
        ("unknown-permissoin", "did you mean `unknown-permission`?"),
        ("host.hapticz", "`host.hapticz` is not a rule, member or listed value"),
        ("nothing-like-it", "`manifest explain` lists the rules"),
        ("/provider/nothing", "the schema does not describe `/provider/nothing`"),
        ("activities[0].nme", "the schema does not describe `/activities/0/nme`"),
        ("/xyz", '; `manifest explain ""` lists the members'),
        ("/permissions/0/deeper", "the schema does not describe"),
        ("/a~2b", "/a~2b"),
    ],
)
def test_what_there_is_not_is_told_with_what_to_do(topic: str, words: str) -> None:
    outcome = manifest_here("explain", topic, cwd=HERE)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert words in outcome.err


def test_the_list_of_rules_names_each_rule_once() -> None:
    names = [file.name.removesuffix(".schema.json") for file in [*RULE_FILES, *CHANGE_FILES]]
    text = manifest_here("explain", cwd=HERE).out
    assert [line.split()[0] for line in text.splitlines()] == names
    listed = json.loads(manifest_here("explain", "--output-format", "json", cwd=HERE).out)
    assert [each["rule"] for each in listed] == names
    assert {"rule", "severity", "title", "description", "clause", "help", "url"} == listed[0].keys()
    table = manifest_here("explain", "--output-format", "markdown", cwd=HERE).out
    assert [line.split("`")[1] for line in table.splitlines()[2:]] == names
    both = manifest_here("explain", "missing-field", "--output-format", "markdown", cwd=HERE)
    assert (both.code, both.out) == (USAGE, "")
    assert "--output-format is for the list of rules" in both.err


PROFILE = {
    "properties": {"provider": {"properties": {"name": {"maxLength": 9}}}},
    "x-manifestkit": {"rule": "short", "severity": "info", "message": "{value} is long"},
}


def test_a_rule_of_a_profile_is_listed_and_explained(tmp_path: Path) -> None:
    (tmp_path / "host.json").write_text(json.dumps(PROFILE))
    text = manifest_here("explain", "--profile=host.json", cwd=tmp_path).out
    assert re.search(r"^short +info +VALUE is long$", text, re.MULTILINE)
    outcome = manifest_here("explain", "short", "--profile=host.json", cwd=tmp_path)
    assert outcome.code == CLEAN
    assert outcome.out.startswith(
        "short\n\nVALUE is long: info.\n\nFrom `host.json`:\n"
        '- `properties`: `{"provider": {"properties": {"name": {"maxLength": 9}}}}`\n'
    )
    assert "--ignore short" in outcome.out
    missing = manifest_here("explain", "shrot", "--profile=host.json", cwd=tmp_path)
    assert "did you mean `short`?" in missing.err
    typed = manifest_here("explain", "duratoin", cwd=tmp_path)
    assert "did you mean `duration_minutes`?" in typed.err


def test_each_place_of_a_rule_its_condition_and_its_page_are_told(tmp_path: Path) -> None:
    said = {"rule": "known", "url": "https://host.example/a(b"}
    first = {"required": ["category"], "x-manifestkit": {**said, "message": "none", "help": "add"}}
    own = {**said, "severity": "warning", "message": "not ours"}
    second = {"properties": {"category": {"enum": ["a"], "x-manifestkit": own}}}
    asleep = {"properties": {"category": {"const": "sleep"}}}
    rest = {"required": ["duration_minutes"], "x-manifestkit": {"rule": "rest"}}
    conditional = {"if": asleep, "then": rest}
    items = {"allOf": [first, second, conditional]}
    profile = {"properties": {"activities": {"items": items}}}
    other = {"required": ["contact"], "x-manifestkit": {"rule": "known", "message": "no contact"}}
    for name, each in (("host", profile), ("other", other)):
        (tmp_path / f"{name}.json").write_text(json.dumps(each))
    given = ("--profile=host.json", "--profile=other.json")
    page = manifest_here("explain", *given, "--output-format=markdown", cwd=tmp_path).out
    row = "| [`known`](https://host.example/a%28b) | error | none; not ours; no contact | add; "
    row += '`enum`: `["a"]`, of `/activities/*/category`; `required`: `["contact"]` |\n'
    assert row in page
    assert '| `rest` | error | `if`: `{"properties"' in page
    told = manifest_here("explain", "known", *given, cwd=tmp_path).out
    assert "https://host.example/a(b\n" in told
    for place in ("allOf/0", "allOf/1/properties/category"):
        assert f"`host.json#/properties/activities/items/{place}`" in told
    assert "`other.json`" in told


_BROKEN: tuple[dict[str, Any], ...] = (
    {},
    {"maxItems": 0},
    {"minItems": 9},
    {"type": "string"},
    {"items": False},
)
_SEVERITIES = ("error", "warning", "info", "off")
_PART = st.fixed_dictionaries(
    {
        "keywords": st.sampled_from(_BROKEN),
        "in_place": st.booleans(),
        "severity": st.sampled_from(_SEVERITIES),
    },
    optional={"rule": st.just("one")},
)
_LOW: dict[str, Any]
_HIGH: dict[str, Any]
_LOW, _HIGH = ({"keywords": {}, "in_place": False, "severity": each} for each in ("info", "error"))


@given(st.lists(_PART, min_size=1, max_size=4))
@example([_LOW, _HIGH])
@example([_HIGH, _LOW])
def test_a_rule_is_explained_with_the_severity_of_its_findings(parts: list[dict[str, Any]]) -> None:
    """Each part of the profile refers to the next one, and the manifest breaks all of them."""
    defs: dict[str, Any] = {}
    for number, part in enumerate(parts, 1):
        notes = {name: part[name] for name in ("rule", "severity") if name in part}
        notes |= {"rule": "one"} if number == 1 else {}
        to: dict[str, Any] = {"$ref": f"#/$defs/{number}"} if number < len(parts) else {"not": {}}
        defs[str(number - 1)] = {
            **part["keywords"],
            **({"allOf": [to]} if part["in_place"] else to),
            **({"x-manifestkit": notes} if notes else {}),
        }
    profile = {"properties": {"activities": {"$ref": "#/$defs/0"}}, "$defs": defs}
    given = ("--profile=host.json", "--output-format=json")
    with TemporaryDirectory() as folder:
        (Path(folder) / "host.json").write_text(json.dumps(profile))
        (Path(folder) / "manifest.json").write_text(json.dumps(BASE))
        found = json.loads(manifest_here("lint", *given, cwd=Path(folder)).out)["findings"]
        listed = json.loads(manifest_here("explain", *given, cwd=Path(folder)).out)
    explained = {each["rule"]: each["severity"] for each in listed}
    told = {each["severity"] for each in found if each["rule"] == "one"}
    assert explained["one"] == min(told, key=_SEVERITIES.index, default="off")


def test_a_profile_with_a_requirement_without_a_rule_is_told_how_to_name_it(tmp_path: Path) -> None:
    (tmp_path / "host.json").write_text(json.dumps({"properties": PROFILE["properties"]}))
    ours, named = (
        {"$ref": "urn:manifestkit:activity-provider-manifest"},
        {"x-manifestkit": {"rule": "has-contact"}},
    )
    contact, none = {"required": ["contact"]}, {"properties": PROFILE["properties"]}
    for profile, is_told in (
        (none, True),
        (none | contact | {"x-manifestkit": {"severity": "info"}}, True),
        ({"allOf": [contact | named, {"required": ["phone"]}]}, True),
        (ours | contact | named, False),
        (none | named, False),
        ({}, False),
    ):
        (tmp_path / "host.json").write_text(json.dumps(profile))
        outcome = manifest_here("explain", "--profile=host.json", cwd=tmp_path)
        assert outcome.code == CLEAN
        told = (
            'note: host.json has requirements without a rule: write `"x-manifestkit": '
            '{"rule": "..."}` beside a keyword to list it here\n'
        )
        assert outcome.err == (told if is_told else ""), profile


def test_what_a_profile_requires_is_told_where_it_has_no_text_for_it(tmp_path: Path) -> None:
    calm = {"enum": ["profile.basic", "host.timer"], "x-manifestkit": {"rule": "calm"}}
    own = {
        "title": "Whom",
        "required": ["email"],
        "properties": {"email": {"type": "string", "title": "To"}},
    }
    contact = {
        "required": ["contact"],
        "properties": {"contact": own},
        "x-manifestkit": {"rule": "contact"},
    }
    bare = {"anyOf": [{"required": ["x"]}], "x-manifestkit": {"rule": "bare"}}
    named = {"title": "No y", "required": ["y"], "x-manifestkit": {"rule": "named"}}
    shared = {"const": "z", "x-manifestkit": {"rule": "shared"}}
    below = {"properties": {"w": {"maxLength": 9}}, "x-manifestkit": {"rule": "below"}}
    said = {"maxProperties": 80, "x-manifestkit": {"rule": "said", "message": "no {value}"}}
    profile = {
        "title": "Our host",
        "maxProperties": 90,
        "x-manifestkit": {"rule": "root"},
        "properties": {"permissions": {"items": calm}, "z": {"$ref": "#/$defs/z"}},
        "allOf": [contact, bare, named, {"required": ["of-no-rule"]}, below, said],
        "$defs": {"z": {"properties": {"a": shared}}},
    }
    (tmp_path / "host.json").write_text(json.dumps(profile))

    def told(*arguments: str) -> str:
        return manifest_here("explain", "--profile=host.json", *arguments, cwd=tmp_path).out

    assert told("--output-format=markdown").startswith(
        "## Rules of the host\n\nVALUE stands for what a manifest has.\n\n"
        "| rule | severity | finds | what to do |\n| --- | --- | --- | --- |\n"
        "| `root` | error | `maxProperties`: `90` |  |\n"
        '| `calm` | error | `enum`: `["profile.basic", "host.timer"]`, of `/permissions/*` |  |\n'
        '| `contact` | error | `required`: `["contact"]` |  |\n'
        '| `bare` | error | `anyOf`: `[{"required": ["x"]}]` |  |\n'
        '| `named` | error | No y | `required`: `["y"]` |\n'
        '| `below` | error | `properties`: `{"w": {"maxLength": 9}}` |  |\n'
        "| `said` | error | no VALUE | `maxProperties`: `80` |\n"
        '| `shared` | error | `const`: `"z"` |  |\n'
        "\n## Rules of manifestkit\n\n| rule |"
    )
    assert sections(told("context.goals"))["Required by host.json"].strip() == "- not this value"
    assert "Required by host.json" not in told("host.timer")
    assert sections(told("/contact"))["Members"].strip() == "- `email` (required): To"


def test_a_rule_with_a_table_of_needs_is_explained_by_it(tmp_path: Path) -> None:
    needs = {"/permissions": {"host.timer.start": ["host.timer", "host.haptics"]}}
    rule = "permission-for-capability"
    notes = {"rule": rule, "needs": needs}
    profile = {"properties": {"capabilities": {"x-manifestkit": notes}}}
    (tmp_path / "host.json").write_text(json.dumps(profile))
    outcome = manifest_here("explain", rule, "--profile=host.json", cwd=tmp_path)
    assert outcome.out.startswith(
        f"{rule}\n\n`host.timer.start` needs `host.timer` and `host.haptics` in `/permissions`: "
        "error.\n\n"
        "From `host.json#/properties/capabilities`:\n"
        "- `host.timer.start` needs `host.timer` and `host.haptics` in `/permissions`\n"
    )


def test_a_member_is_explained_by_the_needs_and_the_advice_of_a_profile(tmp_path: Path) -> None:
    needs = {"/permissions": {"host.timer.start": ["host.timer", "host.haptics"]}}
    old = {"deprecated": True, "x-manifestkit": {"help": "use `pictures`"}}
    capabilities = {"x-manifestkit": {"rule": "paired", "needs": needs}}
    items = {"properties": {"thumbnail": old}}
    members = {"capabilities": capabilities, "activities": {"items": items}}
    (tmp_path / "host.json").write_text(json.dumps({"properties": members}))
    for topic, expected in (("/capabilities", capabilities), ("/activities/0/thumbnail", old)):
        outcome = manifest_here("explain", topic, "--profile=host.json", cwd=tmp_path)
        assert json.loads(sections(outcome.out)["Required by host.json"]) == expected


def test_a_member_is_explained_by_what_its_holders_require_of_it(tmp_path: Path) -> None:
    short = {"properties": {"duration_minutes": {"maximum": 9}}}
    asleep = {"if": {"properties": {"category": {"const": "sleep"}}}, "then": short}
    phone = {
        "if": {"required": ["runtime"]},
        "else": {"properties": {"activities": {"items": asleep}}},
    }
    other = {"if": {"required": ["runtime"]}, "then": {"required": ["permissions"]}}
    items = {"description": "Ours.", "allOf": [asleep, {"not": {"required": ["thumbnail"]}}]}
    profile = {"properties": {"activities": {"items": items}}, "allOf": [phone, other]}
    (tmp_path / "host.json").write_text(json.dumps(profile))

    def explained(topic: str) -> dict[str, str]:
        return sections(manifest_here("explain", topic, "--profile=host.json", cwd=tmp_path).out)

    found = explained("/activities/0/duration_minutes")
    assert json.loads(found["Required by host.json of /activities/*"]) == asleep
    assert json.loads(found["Required by host.json"]) == phone
    assert not [each for each in explained("/activities/0/name") if "host.json" in each]


CONTACT: dict[str, Any] = {
    "allOf": [
        {
            "required": ["support_email"],
            "properties": {"support_email": {"type": "string", "format": "email"}},
            "x-manifestkit": {"rule": "has-support", "help": "add your e-mail"},
        }
    ],
    "properties": {
        "activities": {"items": {"properties": {"category": {"enum": ["sleep", "focus"]}}}}
    },
}


@rows(
    ("limits", "is_shown"),
    [
        ({"enum": ["sleep", "focus"]}, False),
        ({"pattern": "^s"}, False),
        ({"const": "sleep"}, False),
        ({"enum": ["sleep", "relaxation"]}, True),
        ({"maxLength": 40}, True),
    ],
)
def test_an_example_that_a_profile_forbids_is_not_shown(
    limits: dict[str, Any], is_shown: bool, tmp_path: Path
) -> None:
    category = {"required": ["category"], "properties": {"category": limits}}
    host = {"required": ["contact"], "properties": {"activities": {"items": category}}}
    (tmp_path / "host.json").write_text(json.dumps(host))
    told = manifest_here("explain", "--profile=host.json", "/activities/0/category", cwd=tmp_path)
    assert ("Example" in sections(told.out)) == is_shown


def test_what_a_profile_requires_is_explained_as_its_own(tmp_path: Path) -> None:
    (tmp_path / "host.json").write_text(json.dumps(CONTACT))

    def explained(topic: str) -> dict[str, str]:
        return sections(manifest_here("explain", topic, "--profile=host.json", cwd=tmp_path).out)

    asked = "Required by host.json"
    rule = CONTACT["allOf"][0]["x-manifestkit"]
    required = {"required": ["support_email"], "x-manifestkit": rule}
    text = explained("/support_email")[asked]
    of_parent, own = (json.loads(f"{{{each}") for each in text.split("{\n", 1)[1].split("\n{\n"))
    assert (of_parent, own) == (required, {"type": "string", "format": "email"})
    assert json.loads(explained("")[asked]) == required
    assert explained("/activities/0/category")["Type"].strip() == "string, optional"
    items = CONTACT["properties"]["activities"]["items"] | {"required": ["category"]}
    (tmp_path / "host.json").write_text(
        json.dumps({"properties": {"activities": {"items": items}}})
    )
    assert explained("/activities/0/category")["Type"].strip() == "string, required"
    items["properties"]["licence"] = {"title": "Who may copy it"}
    (tmp_path / "host.json").write_text(
        json.dumps({"properties": {"activities": {"items": items}}})
    )
    members = explained("/activities")["Members of each item"]
    assert "`category` (required): Kind of" in members
    assert "`licence` (optional): Who may copy it" in members


def test_text_keeps_within_the_width_and_code_as_it_is() -> None:
    rule = catalogue()["version-form"]
    narrow = "".join(explain_rule(rule).text(Style(width=46))).splitlines()
    wide = "".join(explain_rule(rule).text(Style(width=400))).splitlines()
    assert max(len(line) for line in narrow if "://" not in line) <= 46
    assert " ".join(" ".join(narrow).split()) == " ".join(" ".join(wide).split())
    code = [line for line in wide if line.startswith("    ")]
    assert code == [line for line in narrow if line.startswith("    ")]


def test_no_line_of_a_text_is_too_wide_or_begins_with_a_command() -> None:
    rule = catalogue()["version-form"]._replace(description="坐禅 " * 40 + "::error::forged " * 9)
    for width in range(40, 60):
        text = "".join(explain_rule(rule).text(Style(width=width)))
        assert forged_commands(text) == []
        lines = text[: text.index("Based on")].splitlines()
        assert max(map(wcswidth, lines)) <= width


def test_the_example_that_is_merged_over_is_the_schemas_own() -> None:
    assert BASE["schema_version"] in SECTION_2["properties"]["schema_version"]["examples"]


def test_the_list_has_the_severities_that_are_configured(tmp_path: Path) -> None:
    (tmp_path / "manifestkit.toml").write_text(
        'select = ["empty-text", "version-form"]\nignore = ["version-raised"]\n'
        '[severity]\nmanifest-added = "error"\nempty-text = "error"\n'
    )
    lines = manifest_here("explain", cwd=tmp_path).out.splitlines()
    told = {name: severity for name, severity, *_ in map(str.split, lines)}
    assert (told["manifest-added"], told["version-raised"]) == ("error", "off")
    assert (told["empty-text"], told["version-form"]) == ("error", "info")
    assert (told["missing-field"], told["syntax-error"]) == ("off", "error")
    page = manifest_here("explain", "--output-format=markdown", cwd=tmp_path).out
    assert "manifest-added) | error | There is a new manifest |" in page


def test_a_rule_is_explained_with_its_severity_here(tmp_path: Path) -> None:
    (tmp_path / "manifestkit.toml").write_text(
        'ignore = ["empty-text"]\n[severity]\nversion-form = "warning"\nmanifest-added = "info"\n'
        'schema-keyword = "info"\nschema-minLength = "warning"\nmissing-file = "error"\n'
    )
    for rule, told in (
        ("version-form", ": info (here: warning)."),
        ("empty-text", " (here: off)."),
        ("missing-file", ": off by default (here: error)."),
        ("schema-minLength", ": error (here: warning)."),
        ("schema-maxLength", ": error (here: info)."),
    ):
        assert told in manifest_here("explain", rule, cwd=tmp_path).out
        assert "(here" not in explain(rule)
