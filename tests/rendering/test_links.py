"""A finding leads to the page of its rule, and a clause to its place in the format."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import manifestkit
from command import REPOSITORY
from in_process import manifest_here
from manifestkit.rendering.explanation import clause_page
from manifestkit.rules.catalogue import SITE, all_rules, rule_page
from manifestkit.schema.packaged import base_schema
from report_cases import made_up
from rows import rows
from samples import BROKEN, VALID

DOCS = REPOSITORY / "docs"
OWN = {
    "title": "Host",
    "properties": {
        "provider": {"maxProperties": 1},
        "permissions": {
            "minItems": 5,
            "x-manifestkit": {"rule": "many-permissions", "message": "too few"},
        },
        "runtime": {
            "maxProperties": 1,
            "x-manifestkit": {"rule": "small", "url": "https://host.example/small"},
        },
    },
}


def pages(findings: list[dict[str, Any]]) -> dict[str, str | None]:
    return {each["rule"]: each["url"] for each in findings}


def test_the_address_of_the_site_is_one() -> None:
    site = tomllib.loads((REPOSITORY / "zensical.toml").read_text("utf-8"))
    package = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    assert site["project"]["site_url"] == package["project"]["urls"]["Documentation"] == SITE


@rows("rule", [*all_rules(), "schema-maxProperties", "schema-needs"])
def test_a_rule_of_ours_has_a_page(rule: str) -> None:
    page, _, anchor = manifestkit_page(rule).partition("#")
    text = (DOCS / f"{page.removeprefix(SITE).rstrip('/')}.md").read_text("utf-8")
    assert text.startswith("# ")
    assert not anchor or f"\n## {rule}\n" in text


def manifestkit_page(rule: str) -> str:
    page = rule_page(rule)
    assert page is not None
    return page


def test_each_finding_leads_to_its_page(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(BROKEN)
    (tmp_path / "host.json").write_text(json.dumps(OWN))
    settings = '[[suppress]]\nrule = "version-form"\npath = "*"\nreason = "none"\n'
    (tmp_path / "manifestkit.toml").write_text(settings)
    done = manifest_here("lint", "--profile", "host.json", "--output-format", "json", cwd=tmp_path)
    assert pages(json.loads(done.out)["findings"]) == {
        "wrong-type": f"{SITE}rules/wrong-type/",
        "schema-maxProperties": f"{SITE}rules/schema-keyword/",
        "unused-suppression": f"{SITE}rules/unused-suppression/",
        "many-permissions": None,
        "small": "https://host.example/small",
    }


def test_a_finding_about_a_change_leads_to_its_page() -> None:
    newer = VALID.replace(b'"0.1.0"', b'"0.0.9"')
    findings = manifestkit.to_dict(manifestkit.diff(VALID, newer))["findings"]
    assert pages(findings) == {"version-lowered": f"{SITE}rules/changes/#version-lowered"}


def test_people_see_the_page_of_a_host_and_not_ours_each_time(tmp_path: Path) -> None:
    (tmp_path / "host.json").write_text(json.dumps(OWN))
    text = manifestkit.render(manifestkit.lint(BROKEN, profile=tmp_path / "host.json"))
    assert "see https://host.example/small" in text
    assert SITE not in text


def test_the_page_of_a_host_is_in_every_format() -> None:
    report = made_up("https://host.example/small")
    for name in (
        "full",
        "concise",
        "github",
        "gitlab",
        "junit",
        "markdown",
        "json",
        "sarif",
        "html",
    ):
        assert "https://host.example/small" in manifestkit.render(report, name), name


def test_rules_in_sarif_lead_to_their_pages() -> None:
    said = json.loads(manifestkit.render(manifestkit.lint(BROKEN), "sarif"))
    rules = said["runs"][0]["tool"]["driver"]["rules"]
    assert {each["id"]: each["helpUri"] for each in rules} == {
        each["id"]: manifestkit_page(each["id"]) for each in rules
    }


@rows(
    ("url", "is_one"),
    [
        ("https://host.example/a?b=%20#c", True),
        ("https://host.example/#a#b", False),
        ("https://host.example/%zz", False),
        ("https://host.example/a b", False),
    ],
)
def test_only_what_is_an_address_is_one_in_sarif(url: str, is_one: bool) -> None:
    report = made_up(url)
    said = json.loads(manifestkit.render(report, "sarif"))
    (rule,) = said["runs"][0]["tool"]["driver"]["rules"]
    assert rule.get("helpUri") == (url if is_one else None)


def clauses() -> set[str]:
    found = {rule.clause for rule in all_rules().values()}
    todo: list[Any] = [base_schema().contents]
    while todo:
        each = todo.pop()
        if isinstance(each, dict):
            notes = each.get("x-manifestkit", {})
            found |= {notes["clause"]} if "clause" in notes else set()
            todo.extend(each.values())
        elif isinstance(each, list):
            todo.extend(each)
    return found


@rows("clause", sorted(clauses()))
def test_a_clause_of_the_manifest_document_leads_to_its_place(clause: str) -> None:
    page = clause_page(clause)
    if not clause.startswith("manifest format, section"):
        assert page is None
        return
    assert page is not None
    address, anchor = page.split("#")
    assert address == f"{SITE}format/"
    headings = re.findall(r"^##+ (.*)$", (DOCS / "format.md").read_text("utf-8"), re.MULTILINE)
    assert anchor in {each.lower().replace(" ", "-") for each in headings}


def test_what_is_explained_leads_to_the_clause_that_it_stands_on(tmp_path: Path) -> None:
    for topic, anchor in (("/provider/id", "provider"), ("missing-field", "section-2")):
        assert f"{SITE}format/#{anchor}\n" in manifest_here("explain", topic, cwd=tmp_path).out


def test_pages_of_rules_link_the_clause() -> None:
    page = (DOCS / "rules" / "unknown-permission.md").read_text("utf-8")
    assert re.search(r"\]\(\.\./format\.md#permissions\)", page)
