"""The difference between two results of a fleet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from manifestkit.fleet.runs import results
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.finding import Severity
from manifestkit.rendering.fleet import Impact, RuleImpact

_COLUMNS = ["uri", "sha256", "policy", "fails", "findings"]
_MANIFESTS = pa.schema({"uri": pa.string(), "sha256": pa.string(), "fails": pa.bool_()})
_FINDINGS = pa.schema({"uri": pa.string(), "rule": pa.string(), "rank": pa.int32()})
_SEVERITIES = pa.array([each.value for each in Severity])


class _RunFindings(NamedTuple):
    """Findings of a run: a row for each `uri`, and one for each rule that it breaks.

    The rank of a rule is that of its most severe finding there; that of errors is 0.
    """

    policy: str | None
    manifests: pa.Table
    findings: pa.Table


def impact(before: str, after: str) -> Impact:
    """Compare two results of a fleet.

    Manifests are matched by their `uri`; rows with the same one count as one manifest.

    Raises:
        ConfigurationError: one is no result, or not complete, or no manifest is in both.
    """
    old, new = _result(before), _result(after)
    both = old.manifests.join(new.manifests, "uri", join_type="inner", right_suffix="_now")
    added = new.manifests.join(old.manifests, "uri", join_type="left anti")
    removed = old.manifests.num_rows - both.num_rows
    if added.num_rows and removed and not both.num_rows:
        raise ConfigurationError(
            f"no manifest is in both {before} and {after}, by its `uri`; compare results of the "
            "same input"
        )
    failing = both.filter(pc.and_not(both["fails_now"], both["fails"])).select(["uri"])
    keys = ["uri", "rule"]
    of_both = [each.findings.join(both, "uri", join_type="left semi") for each in (old, new)]
    gone = of_both[0].join(of_both[1], keys, join_type="left anti")
    appeared = of_both[1].join(of_both[0], keys, join_type="left anti")
    newly_failing = _causes(new.findings.join(failing, "uri", join_type="left semi"))
    new_in, gone_from, failing_in = (
        dict(_by_rule(each, ("uri", "count"))) for each in (appeared, gone, newly_failing)
    )
    examples = dict[str, str]()
    for each in (gone, appeared, newly_failing):  # what fails is the best example
        examples |= _by_rule(each, ("uri", "min"))
    rules = [
        RuleImpact(
            rule, new_in.get(rule, 0), gone_from.get(rule, 0), failing_in.get(rule, 0), example
        )
        for rule, example in examples.items()
    ]
    return Impact(
        old.policy,
        new.policy,
        both.num_rows,
        added.num_rows,
        _sum(added["fails"]),
        removed,
        _sum(pc.not_equal(both["sha256"], both["sha256_now"])),
        failing.num_rows,
        _sum(pc.and_not(both["fails"], both["fails_now"])),
        tuple(
            sorted(rules, key=lambda each: (-each.newly_failing, -each.new, -each.gone, each.rule))
        ),
        tuple(sorted(failing["uri"].to_pylist())),
    )


def _result(address: str) -> _RunFindings:
    with results(address) as data:
        if not {*_COLUMNS} <= {*data.schema.names}:
            raise ConfigurationError(f"{address}: no results of `manifest fleet lint` here")
        manifests, findings, policies = [_MANIFESTS.empty_table()], [_FINDINGS.empty_table()], set()
        for batch in data.to_batches(columns=_COLUMNS):
            uri = pc.fill_null(batch["uri"].cast(pa.string()), "")
            columns = (batch["sha256"].cast(pa.string()), batch["fails"])
            manifests.append(pa.table([uri, *columns], schema=_MANIFESTS))
            uris = uri.take(pc.list_parent_indices(batch["findings"]))
            found = pc.list_flatten(batch["findings"])
            rules, severities = (
                pc.struct_field(found, each).cast(pa.string()) for each in ("rule", "severity")
            )
            ranks = pc.index_in(severities, value_set=_SEVERITIES)
            findings.append(pa.table([uris, rules, ranks], schema=_FINDINGS))
            policies.update(pc.unique(batch["policy"]).to_pylist())
    rows = pa.concat_tables(manifests).group_by("uri")
    return _RunFindings(
        policies.pop() if len(policies) == 1 else None,
        rows.aggregate([("sha256", "max"), ("fails", "max")]).rename_columns(_MANIFESTS.names),
        pa.concat_tables(findings)
        .group_by(["uri", "rule"])
        .aggregate([("rank", "min")])
        .rename_columns(_FINDINGS.names),
    )


def _causes(findings: pa.Table) -> pa.Table:
    """Return the findings by which manifests fail, of all that those have which newly fail.

    No result has the severity from which manifests fail; the mildest worst finding has it.
    """
    worst = findings.group_by("uri").aggregate([("rank", "min")])
    return findings.filter(pc.less_equal(findings["rank"], pc.max(worst["rank_min"])))


def _by_rule(findings: pa.Table, by: tuple[str, str]) -> Iterable[tuple[str, Any]]:
    found = findings.group_by("rule").aggregate([by])
    return zip(found["rule"].to_pylist(), found["_".join(by)].to_pylist(), strict=True)


def _sum(values: pa.ChunkedArray) -> int:
    return pc.sum(values).as_py() or 0
