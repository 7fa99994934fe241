"""Section 2 of the manifest document, written down a second time, and manifests that obey it.

`VALID` is drawn from the shipped schema. `SECTION_2` is copied from the document by hand, so that
the schema is judged by something other than itself.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from command import REPOSITORY

Path = tuple[str | int, ...]

PERMISSIONS = (
    "profile.basic",
    "context.current_state",
    "context.goals",
    "context.health_summary",
    "context.constraints",
    "context.session",
    "activity.complete",
    "host.haptics",
    "host.timer",
)
CAPABILITIES = (
    "activity.start",
    "activity.complete",
    "activity.cancel",
    "activity.outcome",
    "context.getCurrent",
    "context.getGoals",
    "context.getSession",
    "context.getSignals",
    "context.getConstraints",
    "profile.getBasic",
    "host.haptic",
    "host.timer.start",
    "host.timer.cancel",
)


@dataclass(frozen=True)
class Obj:
    """An object: its required and optional members, and whether it allows no others."""

    required: dict[str, Any]
    optional: dict[str, Any]
    closed: bool = False


@dataclass(frozen=True)
class Arr:
    """An array of items; `rule` is broken when it is empty."""

    items: Any
    rule: str | None = None


@dataclass(frozen=True)
class Listed:
    """A string out of a list; `rule` is broken by another one."""

    values: tuple[str, ...]
    rule: str


STRING, INTEGER = "string", "integer"

SECTION_2 = Obj(
    required={
        "schema_version": STRING,
        "provider": Obj({"id": STRING, "name": STRING, "version": STRING}, {}),
        "runtime": Obj({"entrypoint": STRING, "sdk_version": STRING}, {}),
        "activities": Arr(
            Obj(
                {"id": STRING, "name": STRING},
                {
                    "category": STRING,
                    "duration_minutes": INTEGER,
                    "thumbnail": STRING,
                    "surfaces": Arr(STRING),
                },
            ),
            rule="no-activities",
        ),
        "permissions": Arr(Listed(PERMISSIONS, "unknown-permission")),
        "capabilities": Arr(Listed(CAPABILITIES, "unknown-capability")),
    },
    optional={"presentation": Obj({}, {"thumbnail": STRING}, closed=True)},
)

# -- valid manifests, from the schema --------------------------------------------------------

SCHEMA: dict[str, Any] = json.loads(
    (REPOSITORY / "schemas" / "activity-provider-manifest.schema.json").read_text("utf-8")
)
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # A surrogate is no character of a text file; test_positions writes them as escapes.
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


def _from_schema(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "$ref" in schema:
        return _from_schema(SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema["type"] == "string":
        return st.text(max_size=12)
    if schema["type"] == "integer":
        # 30.0 is an integer to JSON Schema.
        return st.integers() | st.integers(-1000, 1000).map(float)
    if schema["type"] == "array":
        least = max((each.get("minItems", 0) for each in schema.get("allOf", ())), default=0)
        return st.lists(_from_schema(schema["items"]), min_size=least, max_size=least + 3)
    return _object(schema)


def _object(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    members = {name: _from_schema(each) for name, each in schema["properties"].items()}
    required = schema.get("required", [])
    known = st.fixed_dictionaries(
        {name: members[name] for name in required},
        optional={name: each for name, each in members.items() if name not in required},
    )
    if schema.get("additionalProperties") is False:
        return known
    names = st.text(max_size=6).filter(lambda name: name not in members)
    others = st.dictionaries(names, JSON_VALUES, max_size=2)
    return st.tuples(others, known, st.randoms()).map(_shuffled)


def _shuffled(parts: tuple[dict[str, Any], dict[str, Any], Any]) -> dict[str, Any]:
    members = [*parts[0].items(), *parts[1].items()]
    parts[2].shuffle(members)
    return dict(members)


VALID = _from_schema(SCHEMA)

# -- every way to break one, from the document -----------------------------------------------


@dataclass(frozen=True)
class Breakage:
    """One change that makes a valid manifest invalid, and the finding that is due."""

    clause: str
    path: Path
    rule: str
    pointer: Path
    property: str | None = None
    value: Any = None
    removes: bool = False

    def apply(self, manifest: Any) -> Any:
        """A broken copy."""
        if not self.path:
            return copy.deepcopy(self.value)
        broken = copy.deepcopy(manifest)
        owner = broken
        for token in self.path[:-1]:
            owner = owner[token]
        if self.removes:
            del owner[self.path[-1]]
        else:
            owner[self.path[-1]] = copy.deepcopy(self.value)
        return broken


_OF_EACH_TYPE: tuple[Any, ...] = (None, True, 7, 1.5, "text", [], {})


def _has_type(value: Any, kind: Any) -> bool:
    match kind:
        case Obj():
            return isinstance(value, dict)
        case Arr():
            return isinstance(value, list)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case _:
            return isinstance(value, str)


def breakages(value: Any, kind: Any = SECTION_2, path: Path = ()) -> Iterator[Breakage]:
    """Every way in which a valid value can break section 2, at any depth."""
    for other in _OF_EACH_TYPE:
        if not _has_type(other, kind):
            yield Breakage("wrong type", path, "wrong-type", path, value=other)
    match kind:
        case Obj():
            yield from _object_breakages(value, kind, path)
        case Arr():
            if kind.rule:
                yield Breakage("empty activities array", path, kind.rule, path, value=[])
            for index, item in enumerate(value):
                yield from breakages(item, kind.items, (*path, index))
        case Listed():
            for other in ("", value.upper(), value + ".", " " + value, "host.camera"):
                yield Breakage("value outside an allowed list", path, kind.rule, path, value=other)


def _object_breakages(value: dict[str, Any], kind: Obj, path: Path) -> Iterator[Breakage]:
    for name in kind.required:
        at = (*path, name)
        yield Breakage("missing required field", at, "missing-field", path, name, removes=True)
    if kind.closed:
        for name in ("banner", "", "Thumbnail", "a/b", "~"):
            at = (*path, name)
            yield Breakage("unknown member in presentation", at, "unknown-member", at, value="x")
    for name, inner in {**kind.required, **kind.optional}.items():
        if name in value:
            yield from breakages(value[name], inner, (*path, name))
