"""Mistakes of authors who know another format, or another shape, and what they meant."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

BOX = {"id": "box", "name": "Box breathing"}
WALK = {"id": "walk", "name": "Slow walk"}
MEANT: dict[str, Any] = {
    "schema_version": "1.0",
    "provider": {"id": "com.example.calm", "name": "Calm", "version": "1.2.0"},
    "runtime": {"entrypoint": "dist/index.js", "sdk_version": "1.0"},
    "activities": [BOX, WALK],
    "permissions": ["host.timer", "host.haptics"],
    "capabilities": ["host.haptic"],
}


class Mistake(NamedTuple):
    """A manifest with a mistake.

    Attributes:
        text: what its author wrote.
        meant: the manifest that the author meant; None where only the author knows all of it.
        shown: what the help shows then: each of these.
    """

    text: str
    meant: Any = None
    shown: tuple[str, ...] = ()


def but(*, without: tuple[str, ...] = (), **members: Any) -> dict[str, Any]:
    """Return the manifest with other members."""
    return {name: each for name, each in MEANT.items() if name not in without} | members


def first(*, of: Mapping[str, Any] = BOX, **members: Any) -> dict[str, Any]:
    """Return the manifest with other members in its first activity."""
    return but(activities=[{**of, **members}, WALK])


def _wrong(value: Any, meant: Any = MEANT) -> Mistake:
    return Mistake(json.dumps(value, indent=2) + "\n", meant)


def _shown(value: Any, *shown: str) -> Mistake:
    return Mistake(json.dumps(value, indent=2) + "\n", None, shown)


_LASTS_5 = first(duration_minutes=5)
_PICTURE = first(thumbnail="box.png")
_SURFACES = first(surfaces=["phone", "tv"])
_FLAT = {**MEANT["provider"], **MEANT["runtime"]}
_NO_LISTS = but(permissions=[], capabilities=[])
_TEXT = json.dumps(MEANT, indent=2) + "\n"

MISTAKES: dict[str, Mistake] = {
    # Shapes: what the issue that asked for this table names.
    "permissions in one text": _wrong(but(permissions="host.timer, host.haptics")),
    "permissions that are true": _wrong(
        but(permissions={"host.timer": True, "host.haptics": True})
    ),
    "a permission that is false": _wrong(
        but(permissions={"host.timer": True, "host.haptics": False}),
        but(permissions=["host.timer"]),
    ),
    "an empty list one level off": _wrong(
        but(without=("permissions",), provider=MEANT["provider"] | {"permissions": []}),
        but(permissions=[]),
    ),
    "provider and runtime at the top level": _wrong(but(without=("provider", "runtime"), **_FLAT)),
    "a provider at the top level": _wrong(but(without=("provider",), **MEANT["provider"])),
    "a provider at the top level without a version": _shown(
        but(without=("provider",), id="com.example.calm", name="Calm"),
        '{"id": "com.example.calm", "name": "Calm", "version": "1.0.0"}',
    ),
    "manifest_version 3": _wrong(but(without=("schema_version",), manifest_version=3)),
    "sdkVersion": _wrong(but(runtime={"entrypoint": "dist/index.js", "sdkVersion": "1.0"})),
    "camel case everywhere": _wrong(
        {
            "schemaVersion": "1.0",
            **but(without=("schema_version",)),
            "runtime": {"entryPoint": "dist/index.js", "sdkVersion": "1.0"},
            "activities": [{**BOX, "durationMinutes": 5}, WALK],
        },
        _LASTS_5,
    ),
    "a bare package.json": _shown(
        {"name": "calm", "version": "1.2.0", "dependencies": {}},
        "`manifest new --name calm --version 1.2.0 --yes`",
    ),
    "a package.json": _shown(
        {
            "name": "calm",
            "version": "1.2.0",
            "description": "Breathing",
            "main": "dist/index.js",
            "scripts": {"build": "tsc"},
            "devDependencies": {"typescript": "^5.0.0"},
        },
        "--name calm --version 1.2.0 --entrypoint dist/index.js --yes`",
    ),
    "a VS Code extension": _shown(
        {
            "name": "calm",
            "displayName": "Calm",
            "publisher": "example",
            "version": "1.2.0",
            "engines": {"vscode": "^1.90.0"},
            "main": "dist/index.js",
            "contributes": {"activities": [{"id": "box", "title": "Box breathing"}]},
        },
        "--version 1.2.0 --entrypoint dist/index.js --activity 'box=Box breathing' --yes`",
    ),
    "a Chrome extension": _shown(
        {
            "manifest_version": 3,
            "name": "Calm",
            "version": "1.2.0",
            "background": {"service_worker": "dist/index.js"},
            "permissions": ["alarms"],
        },
        "`manifest new --name Calm --version 1.2.0 --entrypoint dist/index.js --yes`",
    ),
    "a Slack app": _shown(
        {
            "display_information": {"name": "Calm Breathing"},
            "oauth_config": {"scopes": {"bot": ["profile.basic", "chat:write"]}},
        },
        "`manifest new --yes`",
    ),
    "an Alexa skill": _shown(
        {"manifest": {"publishingInformation": {"category": "HEALTH"}, "apis": {"custom": {}}}},
        "`manifest new --yes`",
    ),
    "a Compose file": _shown(
        {"name": "calm", "services": {"web": {"image": "nginx"}}},
        "`manifest new --name calm --yes`",
    ),
    "minutes by letter": _wrong(first(duration_minutes="5m"), _LASTS_5),
    "seconds by letter": _wrong(first(duration_minutes="300s"), _LASTS_5),
    "a list of thumbnails": _wrong(first(thumbnails=["box.png"]), _PICTURE),
    "a surface that is a text": _wrong(first(surface="phone"), first(surfaces=["phone"])),
    "engines": _wrong(
        but(runtime={"entrypoint": "dist/index.js"}, engines={"sdk": "1.0"}),
    ),
    "duration without a unit": _wrong(first(duration=5), _LASTS_5),
    "a provider in a list": _wrong(but(provider=[MEANT["provider"]])),
    "one surface without a list": _wrong(first(surfaces="phone"), first(surfaces=["phone"])),
    "a map of activities by id": _wrong(
        but(activities={"box": {"name": "Box breathing"}, "walk": {"name": "Slow walk"}})
    ),
    "names of activities by id": _wrong(
        but(activities={"box": "Box breathing", "walk": "Slow walk"})
    ),
    "a path with backslashes": Mistake(
        _TEXT.replace("dist/index.js", r"build\new\tool.js"),
        but(runtime={"entrypoint": "build/new/tool.js", "sdk_version": "1.0"}),
    ),
    "nothing": _shown({}, "manifest new FILE --fill --yes"),
    "permissions in the runtime": _wrong(
        but(
            without=("permissions",),
            runtime={**MEANT["runtime"], "permissions": MEANT["permissions"]},
        )
    ),
    "the SDK's version in the provider": _wrong(
        but(
            provider={**MEANT["provider"], "sdk_version": "1.0"},
            runtime={"entrypoint": "dist/index.js"},
        )
    ),
    # package.json and its relatives.
    "main": _wrong(but(runtime={"main": "dist/index.js", "sdk_version": "1.0"})),
    "a version that is a number": _wrong(
        but(provider={**MEANT["provider"], "version": 1.2}),
        but(provider={**MEANT["provider"], "version": "1.2"}),
    ),
    "one activity, not a list": _wrong(
        but(without=("activities",), activity=BOX), but(activities=[BOX])
    ),
    "entry points by name": _wrong(
        but(runtime={"entrypoint": {"main": "dist/index.js"}, "sdk_version": "1.0"})
    ),
    "entry points in a list": _wrong(
        but(runtime={"entrypoint": ["dist/index.js"], "sdk_version": "1.0"})
    ),
    # VS Code.
    "contributes": _wrong(
        but(without=("activities",), contributes={"activities": MEANT["activities"]})
    ),
    "titles of commands": _wrong(
        but(
            activities=[
                {"command": "box", "title": "Box breathing"},
                {"command": "walk", "title": "Slow walk"},
            ]
        )
    ),
    # Web apps and browser extensions.
    "start_url": _wrong(but(runtime={"start_url": "dist/index.js", "sdk_version": "1.0"})),
    "a web app": _shown(
        {"name": "Calm", "short_name": "Calm", "start_url": "/calm", "display": "standalone"},
        "`manifest new --name Calm --entrypoint /calm --yes`",
    ),
    "lists in strings, as another program wrote them": _wrong(
        {**MEANT, **{each: json.dumps(MEANT[each]) for each in ("activities", "permissions")}}
    ),
    "an object in a string": _wrong({**MEANT, "provider": json.dumps(MEANT["provider"])}),
    "a duration in seconds": _wrong(first(duration_seconds=300), first(duration_minutes=5)),
    "a duration of less than a minute": _wrong(
        first(duration_seconds=45), first(duration_seconds=45)
    ),
    "the address of JSON Schema for a version": Mistake(
        json.dumps(but(schema_version="https://json-schema.org/draft/2020-12/schema")),
        but(schema_version="https://json-schema.org/draft/2020-12/schema"),
    ),
    "a number behind another unit": _shown(
        first(duration_minutes="1h 30"), "write, for example, `5`"
    ),
    "lists in each activity": _wrong(
        but(
            without=("permissions", "capabilities"),
            activities=[
                {**BOX, "permissions": ["host.timer"], "capabilities": ["host.haptic"]},
                {**WALK, "permissions": ["host.timer", "host.haptics"], "capabilities": []},
            ],
        )
    ),
    "icons by size": _wrong(first(thumbnail={"128": "box.png"}), _PICTURE),
    "icons in a list": _wrong(first(thumbnail=[{"src": "box.png"}]), _PICTURE),
    "permissions as objects": _wrong(
        but(permissions=[{"name": "host.timer"}, {"name": "host.haptics"}])
    ),
    "host_permissions": _wrong(
        but(without=("permissions",), host_permissions=MEANT["permissions"])
    ),
    # OpenAPI.
    "info": _wrong(
        but(
            without=("provider",),
            info={"id": "com.example.calm", "title": "Calm", "version": "1.2.0"},
        )
    ),
    "an OpenAPI document": _shown(
        {"openapi": "3.1.0", "info": {"title": "Calm", "version": "1.2.0"}, "paths": {}},
        "`manifest new --name Calm --version 1.2.0 --yes`",
    ),
    "scopes": _wrong(
        but(
            without=("permissions",),
            scopes={"host.timer": "Run timers", "host.haptics": "Vibrate"},
        )
    ),
    "operations": _wrong(
        but(
            activities=[
                {"operationId": "box", "summary": "Box breathing"},
                {"operationId": "walk", "summary": "Slow walk"},
            ]
        )
    ),
    # Docker compose and Kubernetes.
    "a timeout": _wrong(first(duration_minutes="0:05:00"), _LASTS_5),
    "a Kubernetes object": _shown(
        {
            "apiVersion": "v1",
            "kind": "Activity",
            "metadata": {"name": "calm"},
            "spec": {"permissions": ["host.timer"]},
        },
        "`manifest new --name calm --permission host.timer --yes`",
    ),
    "nothing for none": _wrong(but(permissions=None, capabilities=None), _NO_LISTS),
    "an empty text for none": _wrong(but(permissions="", capabilities=""), _NO_LISTS),
    # GitHub Actions.
    "access to permissions": _wrong(
        but(permissions={"host.timer": "write", "host.haptics": "read"})
    ),
    "runs": _wrong(but(without=("runtime",), runs={"main": "dist/index.js", "sdk_version": "1.0"})),
    "two values in one item": _shown(
        but(permissions=["host.timer, host.haptics"]), 'write only `"host.timer", "host.haptics"`'
    ),
    "two values and another one in one item": _shown(
        but(permissions=["host.timer, host.haptics, camera"]),
        'write only `"host.timer", "host.haptics"`',
    ),
    # Android and iOS.
    "uses-permission": _wrong(
        but(without=("permissions",), **{"uses-permission": MEANT["permissions"]})
    ),
    "a package and its version's name": _wrong(
        but(
            provider={"package": "com.example.calm", "label": "Calm", "versionName": "1.2.0"},
        )
    ),
    "a bundle": _wrong(
        but(
            provider={
                "CFBundleIdentifier": "com.example.calm",
                "CFBundleDisplayName": "Calm",
                "CFBundleShortVersionString": "1.2.0",
            }
        )
    ),
    "permissions by group": _shown(
        but(permissions={"host": ["timer", "haptics"]}), '`["host.haptics", "host.timer"]`'
    ),
    # Cargo and its relatives.
    "package": _wrong(but(without=("provider",), package=MEANT["provider"])),
    "hyphens": _wrong(but(runtime={"entrypoint": "dist/index.js", "sdk-version": "1.0"})),
    "features": _wrong(but(without=("capabilities",), features={"host.haptic": True})),
    "surfaces that are true": _wrong(first(surfaces={"phone": True, "tv": True}), _SURFACES),
    "lengths with a unit": _wrong(
        first(duration_minutes={"value": 5, "unit": "minutes"}), _LASTS_5
    ),
    # Durations.
    "a duration by ISO 8601": _wrong(first(duration_minutes="PT5M"), _LASTS_5),
    "minutes in words": _wrong(first(duration_minutes="5 minutes"), _LASTS_5),
    "minutes or hours of a clock": _shown(first(duration_minutes="00:05"), "in whole minutes"),
    "a range of minutes": _shown(first(duration_minutes=[5, 10]), "in whole minutes"),
    # Null where there is nothing to say.
    "a null duration": _wrong(first(duration_minutes=None)),
    "a null thumbnail": _wrong(first(thumbnail=None)),
    "null for surfaces": _wrong(first(surfaces=None)),
    "a null version": _shown(but(provider={**MEANT["provider"], "version": None}), '`"1.0.0"`'),
    "a null among permissions": _shown(
        but(permissions=["host.timer", None]), "remove it, or use `"
    ),
    # Permissions and capabilities by other spellings.
    "permissions without a prefix": _wrong(but(permissions=["timer", "haptics"])),
    "permissions with other separators": _wrong(but(permissions=["host_timer", "host:haptics"])),
    "permissions in capitals": _wrong(but(permissions=["HOST_TIMER", "HOST_HAPTICS"])),
    "a capability that is called": _wrong(but(capabilities=["host.haptic()"])),
    "a getter among permissions": _wrong(
        but(permissions=["context.getGoals"]), but(permissions=["context.goals"])
    ),
    "the two lists swapped": _wrong(
        but(permissions=["host.haptic"], capabilities=["host.timer", "host.haptics"])
    ),
    "one list in the singular": _wrong(
        but(without=("permissions",), permission=MEANT["permissions"])
    ),
    "a permission that is denied": _shown(
        but(permissions={"allow": ["host.timer"], "deny": ["host.haptics"]}),
        'list what you need of `["host.haptics", "host.timer"]`',
    ),
    "a permission with a level, and another one": _shown(
        but(permissions={"host.timer": "write", "host.camera": "read"}),
        'list what you need of `["host.timer"]`',
    ),
    "permissions of two kinds": _shown(
        but(permissions={"required": ["host.timer"], "optional": ["host.haptics"]}),
        'list what you need of `["host.haptics", "host.timer"]`',
    ),
    "a known permission and another one in a text": _shown(
        but(permissions="host.timer, camera"), 'list what you need of `["host.timer"]`'
    ),
    "a numbered list in a text": _shown(
        but(permissions="1. host.timer\n2. host.haptics"),
        'list what you need of `["host.haptics", "host.timer"]`',
    ),
    "a permission with a remark": _shown(
        but(permissions=["host.timer (to pace)"]), 'write only `"host.timer"`, or remove it'
    ),
    # Numbers that are no integers.
    "half a minute more": _shown(first(duration_minutes=5.5), "in whole minutes"),
    "minutes with a decimal comma": _shown(first(duration_minutes="5,5"), "in whole minutes"),
    "a range of minutes in a text": _shown(first(duration_minutes="5-10"), "in whole minutes"),
    "about five minutes": _shown(first(duration_minutes="ca. 5"), "in whole minutes"),
    "seconds that are no whole minutes": _shown(first(duration_minutes="90s"), "in whole minutes"),
    "hours and minutes": _wrong(first(duration_minutes="PT1H30M"), first(duration_minutes=90)),
    "an hour and a half": _wrong(first(duration_minutes="1.5 h"), first(duration_minutes=90)),
    "null for activities": _shown(
        but(activities=None),
        'write `[{"id": "box-breathing", "name": "Box breathing"}]`; put in your',
    ),
    "no space after the dashes": _shown(
        but(permissions="-host.timer -host.haptics"),
        'list what you need of `["host.haptics", "host.timer"]`',
    ),
    "a group by its first word": _shown(
        but(permissions=["host"]), '`"host.haptics"` or `"host.timer"`'
    ),
    "a permission to read": _shown(
        but(permissions=["context.goals:read"]), 'write only `"context.goals"`, or remove it'
    ),
    # Other names and shapes.
    "a format's version that is a number": _wrong(but(schema_version=1.0)),
    "the format's version as version": _shown(
        but(without=("schema_version",), version="1.0"), 'add `"schema_version": "1.0"`'
    ),
    "a provider in one text": _shown(
        but(provider="com.example.calm"), '{"id": "com.example.calm", ', "in your own `name`"
    ),
    "short names in the runtime": _wrong(but(runtime={"entry": "dist/index.js", "sdk": "1.0"})),
    "slugs and labels": _wrong(
        but(
            activities=[
                {"slug": "box", "label": "Box breathing"},
                {"key": "walk", "title": "Slow walk"},
            ]
        )
    ),
    "activities below items": _wrong(but(activities={"items": MEANT["activities"]})),
    "one surface in the singular": _wrong(first(surface="phone"), first(surfaces=["phone"])),
    "surfaces in one text": _wrong(first(surfaces="phone, tv"), _SURFACES),
    "an icon of the provider": _wrong(
        but(presentation={"icon": "calm.png"}), but(presentation={"thumbnail": "calm.png"})
    ),
    "an icon beside a thumbnail": _shown(
        but(presentation={"thumbnail": "calm.png", "icon": "box.png"}),
        "keep one of the two: `thumbnail` means the same",
    ),
    "a manifest in a member": _wrong({"manifest": MEANT}),
    # JavaScript and word processors.
    "an object of JavaScript": Mistake(
        re.sub(r'"(\w+)":', r"\1:", _TEXT).replace("\n  ]\n}", "\n  ],\n}"), MEANT
    ),
    "a dict of Python": Mistake(f"{but(offline=True, icon=None)}\n", but(offline=True, icon=None)),
    "names without quotes": Mistake(_TEXT.replace('"provider"', "provider"), MEANT),
    "names in typographic quotes": Mistake(
        _TEXT.replace(
            '"provider"', "\N{LEFT DOUBLE QUOTATION MARK}provider\N{RIGHT DOUBLE QUOTATION MARK}"
        ),
        MEANT,
    ),
    "a comma after the last item": Mistake(
        _TEXT.replace('"host.haptic"\n', '"host.haptic",\n'), MEANT
    ),
    "a manifest in a list": _wrong([MEANT]),
    "names of activities": _shown(
        but(activities=["Box breathing", "Slow walk"]), '"name": "Box breathing"', "your own `id`"
    ),
    "ids of activities": _shown(
        but(activities=["box"]), '{"id": "box", "name": "', "your own `name`"
    ),
    "activities as pairs": _shown(
        but(activities=[["box", "Box breathing"], ["walk", "Slow walk"]]),
        '{"id": "box", "name": "Box breathing"}',
    ),
    "the members of an activity as items": _wrong(
        but(activities=[{"id": "box"}, {"name": "Box breathing"}, WALK])
    ),
    "permissions with reasons": _wrong(
        but(
            permissions=[
                {"name": "host.timer", "reason": "to count breaths"},
                {"name": "host.haptics", "reason": "to guide them"},
            ]
        )
    ),
    "a runtime that is a file": _shown(
        but(runtime="dist/main.js"), '{"entrypoint": "dist/main.js", "sdk_version": "'
    ),
    "a provider that is a name": _shown(
        but(provider="Calm Breathing"), '"name": "Calm Breathing"', "your own `id`"
    ),
    "a manifest in a string": _wrong(json.dumps(MEANT)),
    "an icon of a web app": _wrong(
        first(thumbnail={"src": "box.png", "sizes": "192x192", "type": "image/png"}), _PICTURE
    ),
    "a presentation that is a picture": _wrong(
        but(presentation="calm.png"), MEANT | {"presentation": {"thumbnail": "calm.png"}}
    ),
    "a name in two languages": _wrong(
        but(provider=MEANT["provider"] | {"name": {"en": "Calm", "de": "Ruhe"}})
    ),
    "a name in other languages": _wrong(
        but(provider=MEANT["provider"] | {"name": {"de": "Ruhe", "default": "Calm", "pt-BR": "C"}})
    ),
    "a name for each locale": _wrong(
        first(name=[{"locale": "de", "text": "Kasten"}, {"locale": "en", "text": BOX["name"]}]),
    ),
    "a permission with its access": _wrong(
        but(permissions=[{"host.timer": "read"}, {"host.haptics": True}])
    ),
    "a permission with what the format cannot say": _shown(
        but(permissions=[{"host.timer": {"seconds": 5}}]),
        'write `"host.timer"` if you need it, or remove it',
    ),
    "an SDK of another platform": _wrong(
        but(runtime={"entrypoint": "dist/index.js", "minSdkVersion": 21}),
        but(runtime={"entrypoint": "dist/index.js", "sdk_version": "21"}),
    ),
    "activities by id, with a unit": _wrong(
        but(activities={"box": {"name": BOX["name"], "duration_minutes": "5m"}}),
        but(activities=[{**BOX, "duration_minutes": 5}]),
    ),
    "permissions twice": Mistake(
        _TEXT.replace('"permissions": [', '"permissions": ["profile.basic"], "permissions": ['),
        None,
        ('both, `["profile.basic", "host.timer", "host.haptics"]`',),
    ),
    "a reference to a file": _shown(
        but(provider={"$ref": "./provider.json"}), "write what `./provider.json` has"
    ),
    "a version by date": _shown(
        but(provider=MEANT["provider"] | {"version": "2024.05.01"}), "leading zero", '"2024.5.1"'
    ),
    "a variable that was empty": Mistake(
        _TEXT.replace('"1.2.0"', ""), None, ('such as `"1.0.0"`', "variable empty")
    ),
    "a member without a value that is not required": Mistake(
        _TEXT.replace('"permissions"', '"note": , "permissions"'), None, ("or remove it",)
    ),
    "icons of a browser extension": _wrong(
        but(presentation={"icons": {"48": "a.png", "128": "b.png"}}),
        but(presentation={"thumbnail": "b.png"}),
    ),
    "a command line as a file": _shown(
        but(runtime={"entrypoint": ["node", "dist/index.js"], "sdk_version": "1.0"}),
        '`"dist/index.js"`',
    ),
    "minutes in German": _shown(first(duration_minutes="5 Minuten"), "write `5`"),
    "minutes with a comma": _shown(first(duration_minutes="2,5"), "write `2` or `3`"),
    "minutes that are about right": _shown(first(duration_minutes="ca. 5"), "write `5`"),
    "a least and a most": _shown(first(duration_minutes={"min": 5, "max": 9}), "write `5` or `9`"),
    "a clock": _wrong(first(duration_minutes="00:05:00"), _LASTS_5),
    "thousands in a string": _wrong(first(duration_minutes="1.000"), first(duration_minutes=1000)),
    "a name beside its activity": _wrong(but(activities=[BOX, {"id": "walk"}], name="Slow walk")),
    "half a minute": _shown(first(duration_minutes=2.5), "write `2` or `3`"),
    "a scope as a capability": _shown(
        but(capabilities=["context:goals:read"]), 'use `"context.getGoals"`'
    ),
    "a name from a page with soft hyphens": _wrong(
        but(permissions=["host.hap\u00adtics"]), but(permissions=["host.haptics"])
    ),
    "a permission of a phone": _shown(
        but(permissions=["android.permission.VIBRATE"]), 'use `"host.haptics"`'
    ),
    "a permission in words": _shown(
        but(permissions=["read health data"]), 'use `"context.health_summary"`'
    ),
    "a reason for a permission": _shown(
        but(permissions=["NSHealthShareUsageDescription"]), 'use `"context.health_summary"`'
    ),
    "a function as a permission": _shown(
        but(permissions=["startActivity"]), 'list `"activity.start"` in `capabilities`'
    ),
    "a function as a capability": _shown(
        but(capabilities=["startActivity"]), 'use `"activity.start"`'
    ),
    "a capability that may be either of two": _shown(
        but(capabilities=["start"]), "did you mean `activity.start` or `host.timer.start`?"
    ),
    "names that are paths": _wrong(
        but(
            without=("provider", "runtime"),
            **{f"provider.{name}": each for name, each in MEANT["provider"].items()},
            **{f"runtime.{name}": each for name, each in MEANT["runtime"].items()},
        )
    ),
    "items whose names are paths": _shown(
        but(without=("activities",), **{f"activities[0].{name}": BOX[name] for name in BOX}),
        'add `"activities": [{"id": ',
    ),
}

YAML = """\
schema_version: "1.0"
provider:
  id: com.example.calm
  name: Calm
  version: "1.2.0"
runtime:
  entrypoint: dist/index.js
  sdk_version: "1.0"
activities:
  - id: box
    name: Box breathing
permissions:
  - host.timer
  - host.haptics
capabilities: []
"""


JSON = _TEXT


class Slip(NamedTuple):
    """A part of a text, what is written in its place, and what a fix makes of that."""

    meant: str
    written: str
    fixed: str | None = None
    text: str = YAML

    @property
    def file(self) -> str:
        return "m.yaml" if self.text is YAML else "m.json"


def _json(meant: str, written: str, fixed: str | None = None) -> Slip:
    return Slip(meant, written, fixed, JSON)


def _numbered(text: str) -> str:
    return "".join(f"{n:3} {line}\n" for n, line in enumerate(text.splitlines(), 1))


SLIPS = {
    "a lost dash": Slip("  - host.haptics", "    host.haptics"),
    "a dash without a space": Slip("  - host.haptics", "  -host.haptics", "  - host.haptics"),
    "a colon without a space": Slip("name: Calm", "name:Calm", "name: Calm"),
    "a tab for indentation": Slip("  name: Calm", "\tname: Calm"),
    "a tab after a dash": Slip("- host.haptics", "-\thost.haptics"),
    "a comma after a line of YAML": Slip('"1.2.0"\n', '"1.2.0",\n', '"1.2.0"\n'),
    "a comma after a text of YAML": Slip("name: Calm\n", "name: Calm,\n"),
    "two activities in one": Slip(
        "    name: Box breathing\n", "    name: Box breathing\n    id: walk\n    name: Walk\n"
    ),
    "two providers in one": Slip("  name: Calm\n", "  name: Calm\n  id: walk\n  name: Walk\n"),
    "a placeholder for a version": Slip('version: "1.2.0"', "version: ${VERSION}"),
    "a comment by slashes": Slip("capabilities", "// none\ncapabilities", "# none\ncapabilities"),
    "a quote without its end": Slip('"1.2.0"', '"1.2.0'),
    "a quote that ends too early": Slip("name: Calm", 'name: "Calm" and easy'),
    "keys at two indentations": Slip("  name: Calm", "   name: Calm"),
    "keys at two indentations, behind quotes": Slip('\n  version: "', '\n version: "'),
    "a second document": Slip("capabilities: []\n", "capabilities: []\n---\na: b\n"),
    "a bracket without its end": Slip("capabilities: []", "capabilities: ["),
    "an at sign": Slip("name: Calm", "name: @calm"),
    "a colon in text": Slip("name: Calm", "name: Calm: a walk"),
    "a lost line end before a member": Slip("name: Calm", "name: Calm title: A walk"),
    "a comma for a quote": Slip('version: "1.2.0"', 'version: ,1.2.0"'),
    "a comma for a dash": Slip("  - host.haptics", "  , host.haptics"),
    "escapes of a Windows path": Slip("dist/index.js", '"dist\\index.js"'),
    "no space behind the dash of an object": Slip("  - id: box", "  -id: box", "  - id: box"),
    "no-break spaces for indentation": Slip("  name: C", "\u00a0\u00a0name: C"),
    "a no-break space among spaces": Slip("  name: C", " \u00a0name: C"),
    "a wide space for indentation": Slip("  name: C", "\u3000name: C"),
    "a no-break space after a colon": Slip("name: C", "name:\u00a0C"),
    "a no-break space after a dash": Slip("- host.h", "-\u00a0host.h"),
    "a space that nobody sees": Slip("\nruntime", "\n\u200bruntime"),
    "a comment of HTML in YAML": Slip("capabilities", "<!-- none -->\ncapabilities"),
    "an item closer than its first member": Slip("    name: Box", "   name: Box"),
    "a list one column off": Slip("  - host.haptics", " - host.haptics"),
    "a list too far to the left": Slip("  - host.haptics", "- host.haptics"),
    "a member before its object": Slip("  id: com", "    id: com"),
    "a block one column off": Slip("activities:\n", " activities:\n"),
    "a placeholder": _json('"Calm"', "<name>"),
    "an equals sign": _json('"name": "Calm"', '"name" = "Calm"', '"name" : "Calm"'),
    "arrows": _json('"name": "Calm"', '"name" => "Calm"', '"name" : "Calm"'),
    "a semicolon": _json('"Calm",', '"Calm";', '"Calm",'),
    "a semicolon at the end of an object": _json('"1.2.0"\n', '"1.2.0";\n', '"1.2.0"\n'),
    "a semicolon at the end": _json(JSON, f"{JSON.rstrip()};\n"),
    "a wide comma before a bracket": _json('"1.2.0"\n', '"1.2.0"\uff0c\n', '"1.2.0"\n'),
    "backquotes": _json('"Calm"', "`Calm`", '"Calm"'),
    "single typographic quotes": _json('"Calm"', "\u2018Calm\u2019", '"Calm"'),
    "a call": _json('"Calm"', 'require("calm")'),
    "a hexadecimal number": _json('"Calm"', "0x10"),
    "a number with a space in it": _json('"Calm"', "1_000"),
    "a number without digits before its point": _json('"Calm"', ".5"),
    "a number with a unit": _json('"Calm"', "5m"),
    "a version without quotes": _json('"1.2.0"', "1.2.0"),
    "thousands": _json('"Calm"', "1,000"),
    "minutes without quotes": _json('"Calm"', "5 min"),
    "no-break spaces": _json(
        '    "name": "Calm"', '\xa0\xa0\xa0\xa0"name": "Calm"', '    "name": "Calm"'
    ),
    "spaces that nobody sees": _json(
        '    "name": "Calm"', '    \u200b"name": "Calm"', '    "name": "Calm"'
    ),
    "NUL at the end": _json(JSON, f"{JSON}\0\0", JSON),
    "a set": _json('[\n    "host.haptic"\n  ]', '{\n    "host.haptic"\n  }'),
    "a list without brackets": _json('[\n    "host.haptic"\n  ]', '"host.haptic", "x"'),
    "an array of pairs": _json('"provider": {', '"provider": ['),
    "a second manifest": _json(JSON, JSON + JSON.replace("Calm", "Calmer")),
    "text behind the manifest": _json(JSON, f"{JSON}Hope this helps!\n"),
    "a member without its object": _json(JSON, f'"manifest": {JSON}'),
    "text before the manifest": _json(JSON, f"Here is the manifest:\n\n{JSON}"),
    "an assignment": _json(JSON, f"manifest = {JSON}"),
    "a module of JavaScript": _json(JSON, f"module.exports = {JSON}"),
    "a constant of JavaScript": _json(JSON, f"export const manifest = {JSON}"),
    "members without their object": _json(JSON, JSON.strip("{}\n") + "\n"),
    "a file that was cut": _json(JSON, JSON[: JSON.index(': "Slow walk"')]),
    "guillemets": _json('"Calm"', "\u00ab\u00a0Calm\u00a0\u00bb", '"Calm"'),
    "a table": _json(JSON, "| Field | Value |\n|---|---|\n| id | calm |\n"),
    "a heredoc": _json(JSON, f"cat <<EOF > m.json\n{JSON}EOF\n"),
    "a fence at the end": _json(JSON, f"{JSON}```\n"),
    "YAML in fences": Slip(YAML, f"```yaml\n{YAML}```\n"),
    "a marker that was left": Slip("runtime:", ">>>>>>> main\nruntime:"),
    "a marker left in JSON": _json('  "runtime": {', '<<<<<<< HEAD\n  "runtime": {'),
    "quotes of HTML": _json('"name": "Calm"', "&quot;name&quot;: &quot;Calm&quot;"),
    "a name that begins with a hash": Slip("name: Calm", "name: #1 Calm"),
    "a comment for a value": Slip("name: Calm", "name: # to come"),
    "members that are not indented": Slip(
        '  id: com.example.calm\n  name: Calm\n  version: "1.2.0"',
        'id: com.example.calm\nname: Calm\nversion: "1.2.0"',
    ),
    "colons without spaces": Slip(
        '  id: com.example.calm\n  name: Calm\n  version: "1.2.0"',
        "  id:com.example.calm\n  name:Calm\n  version:1.2.0",
    ),
    "minutes in octal": _json('"Calm"', "020"),
    "dashes without spaces": Slip("  - host.timer\n  - host", "  -host.timer\n  -host"),
    "dashes of a word processor": Slip("  - host.timer", "  \u2013 host.timer"),
    "a list of arrows": Slip("  - host.timer", "  -> host.timer"),
    "names that are almost right in one text": Slip(
        "permissions:\n  - host.timer\n  - host.haptics", "permissions: Host.Timer, host_haptics"
    ),
    "a comment of C in YAML": Slip("capabilities", "/* none */\ncapabilities"),
    "bold": Slip("name: Calm", "name: **Calm**"),
    "a link": Slip("dist/index.js", "[index.js](dist/index.js)"),
    "a box to tick": Slip("- host.timer", "- [x] host.timer"),
    "code in a list": Slip("- host.timer", "- `host.timer`"),
    "an item that is too deep": Slip("  - host.haptics", "    - host.haptics"),
    "children below a value": Slip("name: Calm", "name: Calm\n    short: Calm"),
    "a semicolon for a colon": Slip("name: Calm", "name; Calm"),
    "a dash for a colon": Slip("name: Calm", "name - Calm"),
    "a wide colon": Slip("name: Calm", "name\uff1a Calm"),
    "an equals sign in YAML": Slip("name: Calm", "name = Calm"),
    "a numbered list": Slip("  - host.timer\n  - host", "  1. host.timer\n  2. host"),
    "a template of Helm": Slip('"1.2.0"', "{{ .Values.version | quote }}"),
    "a condition of Helm": Slip("capabilities", "{{- if .Values.caps }}\ncapabilities"),
    "a condition of Jinja": Slip("capabilities", "{% if caps %}\ncapabilities"),
    "a template in JSON": _json('"1.2.0"', "{{ version }}"),
    "double braces": _json('"provider": {', '"provider": {{'),
    "a type": _json('"Calm"', "string"),
    "values of one or another": _json(',\n    "host.haptics"', ' | "host.haptics"'),
    "a list in parentheses": _json('[\n    "host.haptic"\n  ]', '("host.haptic")'),
    "two strings as one": _json('"Calm"', '"Calm" + " down"'),
    "an ellipsis": _json('"host.haptic"', '"host.haptic",\n    ...'),
    "a constant that is spread": _json('"host.haptic"', "...BASE"),
    "a string on two lines": _json("Slow walk", "Slow\n  walk"),
    "numbered lines": _json(JSON, _numbered(JSON)),
    "numbered lines of YAML": Slip(YAML, _numbered(YAML)),
    "TOML": _json(JSON, '[provider]\nid = "com.example.calm"\n'),
    "a cell of a table": _json(JSON, '"' + JSON.replace('"', '""') + '"'),
    "a string of another program": _json(JSON, JSON.replace('"', '\\"')),
    "added lines of a diff": _json(JSON, JSON.replace("\n", "\n+").join(("+", ""))[:-1]),
    "a quotation": Slip(YAML, "> " + YAML.replace("\n", "\n> ")),
    "a comma in a number": _json('"Calm"', "2,5"),
    "HCL": Slip(YAML, 'provider "calm" {\n  id = "com.example.calm"\n}\n'),
    "spaces of HTML in YAML": Slip("  name: Calm", "&nbsp;&nbsp;name: Calm"),
}
