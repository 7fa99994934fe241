"""Types of manifests, made from their schema by `tools/make_types.py`."""

from typing import Literal, NotRequired, TypedDict


class Provider(TypedDict):
    """Provider: The unit of software that offers the activities."""

    id: str
    name: str
    version: str


class Runtime(TypedDict):
    """Runtime: How the host starts the provider."""

    entrypoint: str
    sdk_version: str


class Presentation(TypedDict):
    """Presentation: How the host shows the provider. Only the member thumbnail is allowed."""

    thumbnail: NotRequired[str]


class Activity(TypedDict):
    """Activity: One activity that the host can offer to its user."""

    id: str
    name: str
    category: NotRequired[str]
    duration_minutes: NotRequired[int | float]
    thumbnail: NotRequired[str]
    surfaces: NotRequired[list[str]]


Permission = Literal[
    "profile.basic",
    "context.current_state",
    "context.goals",
    "context.health_summary",
    "context.constraints",
    "context.session",
    "activity.complete",
    "host.haptics",
    "host.timer",
]


Capability = Literal[
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
]


class ActivityProviderManifest(TypedDict):
    """ActivityProviderManifest.

    What an activity provider declares to its host: itself, its runtime, its activities, the
    permissions it requests and the host capabilities it calls.
    """

    schema_version: str
    provider: Provider
    runtime: Runtime
    presentation: NotRequired[Presentation]
    activities: list[Activity]
    permissions: list[Permission]
    capabilities: list[Capability]
