"""Write the cases: `python conformance/make.py` (standard library only).

Each group below is a sentence of the manifest document, broken or kept in every way and at every
place that it speaks of. The files in `cases/` are what validators read; this script only keeps them
complete.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"

PERMISSIONS = (
    *("profile.basic", "context.current_state", "context.goals", "context.health_summary"),
    *("context.constraints", "context.session", "activity.complete", "host.haptics", "host.timer"),
)
CAPABILITIES = (
    *("activity.start", "activity.complete", "activity.cancel", "activity.outcome"),
    *("context.getCurrent", "context.getGoals", "context.getSession", "context.getSignals"),
    *("context.getConstraints", "profile.getBasic", "host.haptic", "host.timer.start"),
    "host.timer.cancel",
)

MINIMAL: dict[str, Any] = {
    "schema_version": "1.0",
    "provider": {"id": "org.example.calm", "name": "Calm", "version": "1.0.0"},
    "runtime": {"entrypoint": "index.js", "sdk_version": "1.0"},
    "activities": [{"id": "box", "name": "Box breathing"}],
    "permissions": [],
    "capabilities": [],
}
FULL: dict[str, Any] = {
    **MINIMAL,
    "presentation": {"thumbnail": "calm.png"},
    "activities": [
        {
            "id": "box",
            "name": "Box breathing",
            "category": "breathing",
            "duration_minutes": 5,
            "thumbnail": "box.png",
            "surfaces": ["phone", "tv"],
        },
        {
            "id": "walk",
            "name": "Walk",
            "category": "movement",
            "duration_minutes": 20,
            "thumbnail": "walk.png",
            "surfaces": ["watch"],
        },
    ],
    "permissions": ["host.timer", "host.haptics"],
    "capabilities": ["host.timer.start", "host.haptic"],
}

# Section 2, as its tables have it: what stands at a place, and whether it must.
MEMBERS: tuple[tuple[str, str, bool], ...] = (
    ("/schema_version", "string", True),
    ("/provider", "object", True),
    ("/runtime", "object", True),
    ("/presentation", "object", False),
    ("/activities", "array", True),
    ("/permissions", "array", True),
    ("/capabilities", "array", True),
    ("/provider/id", "string", True),
    ("/provider/name", "string", True),
    ("/provider/version", "string", True),
    ("/runtime/entrypoint", "string", True),
    ("/runtime/sdk_version", "string", True),
    ("/presentation/thumbnail", "string", False),
    *(
        (f"/activities/{number}/{name}", kind, required)
        for number in (0, 1)
        for name, kind, required in (
            ("id", "string", True),
            ("name", "string", True),
            ("category", "string", False),
            ("duration_minutes", "integer", False),
            ("thumbnail", "string", False),
            ("surfaces", "array", False),
        )
    ),
)
ITEMS: tuple[tuple[str, str], ...] = (
    ("/activities/0", "object"),
    ("/activities/1", "object"),
    ("/activities/0/surfaces/0", "string"),
    ("/activities/0/surfaces/1", "string"),
    ("/permissions/0", "string"),
    ("/permissions/1", "string"),
    ("/capabilities/0", "string"),
    ("/capabilities/1", "string"),
)
VALUES: dict[str, Any] = {
    "null": None,
    "boolean": True,
    "integer": 1,
    "fraction": 1.5,
    "string": "1",
    "array": [],
    "object": {},
}
STRINGS = tuple(where for where, kind, _ in MEMBERS if kind == "string")
NO_RULE = "the document has no rule about it"
OPEN_OBJECTS = ("", "/provider", "/runtime", "/activities/0", "/activities/1")


def case(
    name: str, clause: str, why: str, manifest: Any, *errors: tuple[str, str]
) -> dict[str, Any]:
    """Return a case; without errors, the manifest is valid."""
    found = [{"pointer": pointer, "kind": kind} for pointer, kind in errors]
    return {
        "id": name,
        "clause": clause,
        "why": why,
        "manifest": manifest,
        "valid": not errors,
        "errors": found,
    }


def text(name: str, clause: str, why: str, source: str, *, valid: bool | None) -> dict[str, Any]:
    """Return a case that is a text, because its value does not say what matters."""
    kinds = {True: [], False: ["syntax"], None: ["unspecified"]}[valid]
    errors = [{"pointer": "", "kind": kind} for kind in kinds]
    return {
        "id": name,
        "clause": clause,
        "why": why,
        "text": source,
        "valid": valid,
        "errors": errors,
    }


def with_value(manifest: Any, pointer: str, value: Any) -> Any:
    """Return a manifest with another value at a place."""
    if not pointer:
        return value
    changed = copy.deepcopy(manifest)
    *path, last = pointer[1:].split("/")
    around = changed
    for token in path:
        around = around[int(token) if isinstance(around, list) else token]
    around[int(last) if isinstance(around, list) else last] = value
    return changed


def without(manifest: Any, pointer: str) -> Any:
    """Return a manifest without a member."""
    changed = copy.deepcopy(manifest)
    *path, last = pointer[1:].split("/")
    around = changed
    for token in path:
        around = around[int(token) if isinstance(around, list) else token]
    del around[last]
    return changed


def slug(pointer: str) -> str:
    """Return a pointer as a part of an id."""
    return pointer.strip("/").replace("/", "-").replace("_", "-") or "root"


def missing() -> Iterator[dict[str, Any]]:
    """Yield each member left out, alone and with its neighbours."""
    for where, _, required in MEMBERS:
        name = where.rpartition("/")[2]
        if required:
            yield case(
                f"no-{slug(where)}",
                "2",
                f"`{name}` is required",
                without(FULL, where),
                (where, "missing"),
            )
        else:
            yield case(f"no-{slug(where)}", "2", f"`{name}` is optional", without(FULL, where))
    for where in OPEN_OBJECTS[1:]:
        members = [(at, "missing") for at, _, need in MEMBERS if need and _in(at, where)]
        yield case(
            f"empty-{slug(where)}", "2", "nothing is there", with_value(FULL, where, {}), *members
        )
    members = [(at, "missing") for at, _, need in MEMBERS if need and at.count("/") == 1]
    yield case("empty-root", "2", "nothing is there", {}, *members)


def _in(pointer: str, parent: str) -> bool:
    return pointer.rpartition("/")[0] == parent


def types() -> Iterator[dict[str, Any]]:
    """Yield each place with each value of another type."""
    for name, value in VALUES.items():
        if name != "object":
            yield case(f"root-is-{name}", "1", "a manifest is one JSON object", value, ("", "type"))
    for where, kind in (*((at, each) for at, each, _ in MEMBERS), *ITEMS):
        for name, value in VALUES.items():
            if name != kind:
                yield case(
                    f"{slug(where)}-is-{name}",
                    "2",
                    f"it must be {'an' if kind[0] in 'aio' else 'a'} {kind}",
                    with_value(FULL, where, value),
                    (where, "type"),
                )


def values() -> Iterator[dict[str, Any]]:
    """Yield what may stand in the lists, and in presentation."""
    lists = (
        ("permissions", PERMISSIONS, CAPABILITIES),
        ("capabilities", CAPABILITIES, PERMISSIONS),
    )
    for name, allowed, others in lists:
        first = allowed[-1]
        wrong = {
            "unknown": "host.camera",
            "empty": "",
            "blank": " ",
            "upper-case": first.upper(),
            "title-case": first.title(),
            "blank-before": f" {first}",
            "blank-after": f"{first} ",
            "line-after": f"{first}\n",
            "prefix": first.rpartition(".")[0],
            "longer": f"{first}.more",
            "wildcard": "*",
            "hyphen": first.replace(".", "-"),
            "slash": first.replace(".", "/"),
            "plural": f"{first}s",
            "blank-inside": first.replace(".", ". "),
            "no-dot": first.replace(".", ""),
            "look-alike-letter": first.replace("a", "\u0430").replace("e", "\u0435"),
            "invisible-character": f"{first[:4]}\u200b{first[4:]}",
            "null-character": f"{first}\0",
            "of-the-other-list": next(each for each in others if each not in allowed),
        }
        for index in (0, 1):
            for label, value in wrong.items():
                where = f"/{name}/{index}"
                yield case(
                    f"{name}-{index}-{label}",
                    "2",
                    f"not one of the allowed values of {name}",
                    with_value(FULL, where, value),
                    (where, "value"),
                )
        for value in allowed:
            yield case(
                f"{name}-{value.replace('.', '-').replace('_', '-').lower()}",
                "2",
                "an allowed value",
                with_value(FULL, f"/{name}", [value]),
            )
        yield case(f"{name}-all", "2", "all values", with_value(FULL, f"/{name}", [*allowed]))
        yield case(
            f"{name}-twice",
            "2",
            "no rule against the same value twice",
            with_value(FULL, f"/{name}", [first, first]),
        )
        yield case(f"{name}-none", "2", "may be empty", with_value(FULL, f"/{name}", []))
    yield case(
        "activities-none",
        "8",
        "at least one activity",
        with_value(FULL, "/activities", []),
        ("/activities", "value"),
    )
    for label, name in {
        "any": "color",
        "extension": "x-color",
        "schema": "$schema",
        "case": "Thumbnail",
        "empty": "",
        "plural": "thumbnails",
        "prototype": "__proto__",
    }.items():
        presentation = {"thumbnail": "calm.png", name: "red"}
        yield case(
            f"presentation-{label}-member",
            "2",
            "presentation has no member but thumbnail",
            with_value(FULL, "/presentation", presentation),
            (f"/presentation/{name}", "value"),
        )
        yield case(
            f"presentation-only-{label}-member",
            "2",
            "presentation has no member but thumbnail",
            with_value(FULL, "/presentation", {name: None}),
            (f"/presentation/{name}", "value"),
        )


def later() -> Iterator[dict[str, Any]]:
    """Yield faults at the third item, alone: the first and the second are right."""
    third = {"id": "sit", "name": "Sit", "surfaces": ["phone", "tv", "watch"]}
    long = {
        **FULL,
        "activities": [*FULL["activities"], third],
        "permissions": list(PERMISSIONS[:3]),
        "capabilities": list(CAPABILITIES[:3]),
    }
    for where, kind, value in (
        ("/activities/2", "type", "sit"),
        ("/activities/2/id", "type", 2),
        ("/activities/2/surfaces", "type", "phone"),
        ("/activities/2/surfaces/2", "type", None),
        ("/permissions/2", "value", "host.camera"),
        ("/permissions/2", "type", ["host.timer"]),
        ("/capabilities/2", "value", "host.camera"),
        ("/capabilities/2", "type", {}),
    ):
        manifest = with_value(long, where, value)
        yield case(
            f"third-{slug(where)}-{kind}", "2", "each item is checked", manifest, (where, kind)
        )
    for name in ("id", "name"):
        where = f"/activities/2/{name}"
        manifest = without(long, where)
        yield case(f"third-no-{name}", "2", f"`{name}` is required", manifest, (where, "missing"))


def errors() -> Iterator[dict[str, Any]]:
    """Yield each way to be invalid that section 7 lists, in a manifest without optional members."""
    for label, where, kind, value in (
        ("missing required field", "/runtime", "missing", None),
        ("wrong type", "/capabilities", "type", "host.haptic"),
        ("value outside an allowed list", "/permissions", "value", ["host.camera"]),
        ("empty activities array", "/activities", "value", []),
        ("unknown member in presentation", "/presentation", "value", {"theme": "dark"}),
    ):
        manifest = (
            without(MINIMAL, where) if kind == "missing" else with_value(MINIMAL, where, value)
        )
        at = {"/permissions": "/permissions/0", "/presentation": "/presentation/theme"}
        name = f"section-7-{label.replace(' ', '-')}"
        yield case(name, "7", label, manifest, (at.get(where, where), kind))


def pairs() -> Iterator[dict[str, Any]]:
    """Two sentences broken at once: one must not hide the other."""
    ways: list[tuple[str, str, str, Any]] = [
        ("version", "/schema_version", "type", 1),
        ("provider", "/provider", "type", "calm"),
        ("entrypoint", "/runtime/entrypoint", "missing", None),
        ("presentation", "/presentation/color", "value", "red"),
        ("activity", "/activities/1/name", "missing", None),
        ("minutes", "/activities/0/duration_minutes", "type", "5"),
        ("surface", "/activities/0/surfaces/1", "type", 7),
        ("permission", "/permissions/1", "value", "host.camera"),
        ("capability", "/capabilities/0", "type", None),
    ]
    for one, two in combinations(ways, 2):
        manifest: Any = FULL
        for _, where, kind, value in (one, two):
            manifest = (
                without(manifest, where)
                if kind == "missing"
                else with_value(manifest, where, value)
            )
        errors = [(where, kind) for _, where, kind, _ in (one, two)]
        yield case(f"{one[0]}-and-{two[0]}", "2", "both are wrong", manifest, *errors)


def not_shown() -> Iterator[dict[str, Any]]:
    """Yield what the document leaves open, and a validator must accept."""
    yield case("minimal", "2", "what is required, and no more", MINIMAL)
    yield case("full", "2", "every member", FULL)
    yield case("reversed", "2", "members have no order", dict(reversed(FULL.items())))
    for label, value in {
        "address": "https://example.org/provider.js",
        "absolute": "/usr/lib/provider.js",
        "windows": "C:\\provider\\index.js",
        "module": "calm.provider:main",
        "upwards": "../provider/",
    }.items():
        yield case(
            f"entrypoint-{label}", "2", NO_RULE, with_value(FULL, "/runtime/entrypoint", value)
        )
    for where in ("/schema_version", "/provider/version", "/runtime/sdk_version"):
        for value in ("1", "1.2.3.4", "v2", "latest", "0", "-1", "^1.0", "9" * 50):
            label = value.replace(".", "-").replace("^", "caret-")[:12]
            yield case(
                f"{slug(where)}-{label}",
                "9",
                "allowed values of versions are not shown",
                with_value(FULL, where, value),
            )
    for label, value in {"zero": 0, "negative": -5, "huge": 2**53 + 1, "whole": 5.0}.items():
        yield case(
            f"minutes-{label}",
            "2",
            NO_RULE,
            with_value(FULL, "/activities/0/duration_minutes", value),
        )
    for where in ("/presentation/thumbnail", "/activities/0/thumbnail"):
        for label, value in {
            "address": "https://example.org/a.png",
            "data": "data:,",
            "path": "../../a b.png",
            "word": "thumbnail",
        }.items():
            yield case(
                f"{slug(where)}-{label}",
                "2",
                "the format of thumbnail is not shown",
                with_value(FULL, where, value),
            )
    for label, value in {
        "none": [],
        "twice": ["tv", "tv"],
        "any": ["x" * 300, "", "🖥"],
        "many": [f"s{number}" for number in range(17)],
    }.items():
        yield case(
            f"surfaces-{label}",
            "2",
            "allowed values of surfaces are not shown",
            with_value(FULL, "/activities/0/surfaces", value),
        )
    yield case(
        "presentation-empty", "2", "no member is required", with_value(FULL, "/presentation", {})
    )
    one = FULL["activities"][0]
    yield case("same-activity-twice", "2", NO_RULE, with_value(FULL, "/activities", [one, one]))
    many = [{"id": f"a{number}", "name": "A"} for number in range(300)]
    yield case("many-activities", "8", "no limit is shown", with_value(FULL, "/activities", many))
    yield case(
        "capability-without-permission",
        "2",
        "which permission a capability needs is not shown",
        with_value({**FULL, "permissions": []}, "/capabilities", ["host.timer.start"]),
    )
    yield case(
        "permission-without-capability",
        "2",
        "which permission a capability needs is not shown",
        with_value({**FULL, "capabilities": []}, "/permissions", [*PERMISSIONS]),
    )


def unknown() -> Iterator[dict[str, Any]]:
    """Yield members that the document does not name, outside presentation."""
    for where in OPEN_OBJECTS:
        for label, name in {
            "any": "note",
            "extension": "x-note",
            "schema": "$schema",
            "empty": "",
            "case": "Name",
            "prototype": "__proto__",
        }.items():
            yield case(
                f"{slug(where)}-{label}-member",
                "2",
                "only presentation is closed",
                with_value(FULL, f"{where}/{name}", {"any": [1, None, {}]}),
            )
        for label, value in VALUES.items():
            yield case(
                f"{slug(where)}-member-with-{label}",
                "2",
                "only presentation is closed",
                with_value(FULL, f"{where}/note", value),
            )
    for where, name in (
        ("", "id"),
        ("", "thumbnail"),
        ("", "entrypoint"),
        ("/provider", "activities"),
        ("/provider", "thumbnail"),
        ("/runtime", "permissions"),
        ("/runtime", "version"),
        ("/activities/0", "version"),
        ("/activities/0", "capabilities"),
    ):
        yield case(
            f"{slug(where)}-has-{name}",
            "2",
            "only presentation is closed",
            with_value(FULL, f"{where}/{name}", {"is": "elsewhere"}),
        )


def strings() -> Iterator[dict[str, Any]]:
    """Yield strings of every length and of any characters."""
    for where in STRINGS:
        for label, value in {
            "empty": "",
            "blank": " \t\n",
            "unicode": "é日本😀\u202e",
            "long": "x" * 1_000,
            "null-character": "\0",
        }.items():
            yield case(f"{slug(where)}-{label}", "8", NO_RULE, with_value(FULL, where, value))


def texts() -> Iterator[dict[str, Any]]:
    """Yield texts that are JSON, however they are written, and texts that are none."""
    plain = json.dumps(MINIMAL)
    json_rule = "a manifest is one JSON object"
    for label, source in {
        "indented": json.dumps(MINIMAL, indent="\t"),
        "without-blanks": json.dumps(MINIMAL, separators=(",", ":")),
        "blank-lines": f"\r\n\t {plain} \n\n",
        "escaped-name": plain.replace('"provider"', '"\\u0070rovider"'),
        "escaped-value": plain.replace('"1.0"', '"\\u0031\\u002e0"', 1),
        "exponent": json.dumps(FULL).replace('"duration_minutes": 5', '"duration_minutes": 5e0'),
        "whole-fraction": json.dumps(FULL).replace(
            '"duration_minutes": 5', '"duration_minutes": 5.00'
        ),
    }.items():
        yield text(label, "1", "JSON leaves it to the writer", source, valid=True)
    for label, source in {
        "no-text": "",
        "only-blanks": " \n",
        "cut-off": plain[:-1],
        "comma-at-end": plain[:-1] + ",}",
        "no-comma": plain.replace('", "', '" "', 1),
        "two-values": plain + plain,
        "text-after": plain + " x",
        "line-comment": f"// a manifest\n{plain}",
        "block-comment": f"/* a manifest */{plain}",
        "single-quotes": plain.replace('"', "'"),
        "bare-names": plain.replace('"provider"', "provider"),
        "python-true": plain.replace('"1.0"', "True", 1),
        "not-a-number": json.dumps(FULL).replace(": 5", ": NaN", 1),
        "leading-zero": json.dumps(FULL).replace(": 5", ": 05", 1),
        "plus": json.dumps(FULL).replace(": 5", ": +5", 1),
        "raw-line-in-string": plain.replace("Calm", "Ca\nlm"),
        "bad-escape": plain.replace("Calm", "Ca\\xlm"),
    }.items():
        yield text(label, "1", json_rule, source, valid=False)


def unspecified() -> Iterator[dict[str, Any]]:
    """Yield what neither the document nor RFC 8259 decides: it is scored for nobody."""
    plain = json.dumps(FULL)
    deep = "[" * 2_000 + "]" * 2_000
    for label, why, source in (
        ("same-member-twice", "RFC 8259, 4", plain.replace("{", '{"schema_version": 1, ', 1)),
        ("same-member-twice-last-wrong", "RFC 8259, 4", plain[:-1] + ', "schema_version": 1}'),
        ("byte-order-mark", "RFC 8259, 8.1", "\ufeff" + plain),
        ("lone-surrogate", "RFC 8259, 8.2", plain.replace("Calm", "\\ud800", 1)),
        ("deep", "RFC 8259, 9", plain[:-1] + f', "x-deep": {deep}}}'),
        ("huge-number", "RFC 8259, 6", plain.replace(": 5", f": {'9' * 400}", 1)),
        ("infinite-number", "RFC 8259, 6", plain[:-1] + ', "x-number": 1e400}'),
        (
            "fraction-beyond-a-double",
            "RFC 8259, 6",
            plain.replace(": 5", ": 5.0000000000000000001", 1),
        ),
    ):
        yield text(label, why, "left open", source, valid=None)


GROUPS = (
    *(missing, types, values, later, errors, pairs),
    *(not_shown, unknown, strings, texts, unspecified),
)


def main() -> None:
    """Write a file for each group."""
    for group in GROUPS:
        file = CASES / f"{group.__name__.replace('_', '-')}.json"
        lines = ",\n".join(json.dumps(each, ensure_ascii=True) for each in group())
        file.write_text(f"[\n{lines}\n]\n", "ascii", newline="\n")


if __name__ == "__main__":
    main()
