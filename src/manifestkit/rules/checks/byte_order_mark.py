"""A byte order mark before JSON."""

from collections.abc import Iterator

from manifestkit.model.finding import Description, Edit, Fix
from manifestkit.model.location import BYTE_ORDER_MARK, Span
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find it; in YAML it is allowed."""
    document = manifest.document
    if document.syntax == "json" and document.text.startswith(BYTE_ORDER_MARK):
        yield rule.violation((), span=Span(0, len(BYTE_ORDER_MARK)))


def describe(_: Manifest, violation: Violation) -> Description:
    """Offer to remove it."""
    start, end = violation.span or Span(0, 0)
    fix = Fix("remove it", "safe", (Edit(start, end, ""),), ())
    return Description("the text begins with a byte order mark, U+FEFF", fixes=(fix,))
