"""What does a traced run of a JAX program say about one finding?

Only the standard library: dtlint's own Python runs this. Calls that hosts or devices miss are judged as for torch. The
harm of the other rules is a fact of the run (a key that is shared, replicas that differ) or a failure at the very line.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dtlint.findings import Finding, Verdict
from dtlint.trace import comparing, judge, locate, noting
from dtlint.trace.comparing import places_of
from dtlint.trace.model import Result

MEETINGS = frozenset({f"DT{number}" for number in range(101, 113)} | {"DT406", "DT412"})
FACTS = {
    "DT301": ("shared-key",),
    "DT404": ("replicas-drift", "replicas-differ", "reduced-twice"),
    "DT407": ("shared-key",),
}
# they fail when the line runs: the failure is the harm
FAILING = frozenset({"DT202", "DT303", "DT401", "DT402", "DT403", "DT405", "DT409", "DT410", "DT411"})

NOTED = frozenset({"DT601", "DT605", "DT703"})
# hosts are compared as ranks are
OF_HOSTS = comparing.DRAWS | comparing.WRITES | comparing.SHARED_DATA | (comparing.UNEVEN - FAILING)


def verdict(finding: Finding, path: str, result: Result) -> Verdict:
    """`path`: the real path of the finding's file."""
    if finding.code in FACTS and (found := _by_fact(finding, path, result)):
        return found
    if finding.code in NOTED:
        return noting.verdict(finding, path, result)
    if finding.code in OF_HOSTS and len({fact["rank"] for fact in result.facts if "rank" in fact}) > 1:
        return comparing.verdict(finding, path, result)
    if finding.code in FAILING and (found := _by_failure(finding, path, result)):
        return found
    if finding.code in MEETINGS:
        return judge.verdict(finding, path, result)
    if finding.code in FACTS:
        return _not_seen(finding, path, result)
    return Verdict("inconclusive", "not-supported: the harm of this rule does not show in a run of JAX", "run")


def verdict_of_change(finding: Finding, path: str, before: Result, after: Result, what: str) -> Verdict:
    """Judge a run in which the data or the devices are a little different, against the same run as it is."""
    failure = comparing.failing(finding, path, after, ())
    if failure is None or comparing.failing(finding, path, before, ()) is not None:
        return _not_seen(finding, path, after)
    return replace(failure, reason=f"{what}: {failure.reason}")


def _by_fact(finding: Finding, path: str, result: Result) -> Verdict | None:
    places = places_of(finding, path)
    for fact in result.facts:
        if fact.get("kind") in FACTS[finding.code] and _speaks_of(fact, places):
            return Verdict("confirmed", str(fact["text"]), "run")
    return None


def _speaks_of(fact: Mapping[str, Any], places: set[tuple[str, int]]) -> bool:
    """At the line itself, at the call of the program, or anywhere in the program's own lines."""
    mentioned = [fact.get("place"), fact.get("call"), fact.get("made")]
    mentioned += [{"path": name, "line": line} for name, lines in fact.get("lines", {}).items() for line in lines]
    return any(
        isinstance(item, Mapping) and (os.path.realpath(str(item.get("path"))), item.get("line")) in places
        for item in mentioned
    )


def _by_failure(finding: Finding, path: str, result: Result) -> Verdict | None:
    # an axis name that is not bound is a NameError: nothing is unrelated here
    return comparing.failing(finding, path, result, ()) or _not_seen(finding, path, result)


def _not_seen(finding: Finding, path: str, result: Result) -> Verdict:
    if result.outcome.kind == "inconclusive" and result.outcome.reason != "nothing-communicated":
        return Verdict("inconclusive", f"{result.outcome.reason}: {result.outcome.sentence}"[:300], "run")
    first, last = locate.span_of(path, finding.span.line)
    if not any(first <= number <= last for number in result.covered.get(path, {})):
        return Verdict("not-reached", "the run ended without executing this line", "run")
    return Verdict("inconclusive", "the line ran and its harm was not seen, which a tiny run does not rule out", "run")
