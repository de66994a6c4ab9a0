"""What do the things that the ranks saw say about a finding: samples, random numbers, files, failures at the line?

Where the harm is not a missed call, ranks are compared after the run. Only the standard library.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from typing import Any

from dtlint.findings import Finding, Verdict
from dtlint.trace import judge, locate
from dtlint.trace.model import Result

SHARED_DATA = frozenset({"DT201", "DT205", "DT207", "DT208"})
UNEVEN = frozenset({"DT202", "DT206"})
REPEATED = frozenset({"DT204"})
DRAWS = frozenset({"DT301", "DT304"})
WRITES = frozenset({"DT702"})
FAILING = frozenset({"DT203", "DT602", "DT801"})  # the failure when the line runs is the harm
COMPARED = SHARED_DATA | UNEVEN | REPEATED | DRAWS | WRITES | FAILING
# a script that cannot even be loaded, or lacks its data, says nothing about these rules
UNRELATED = ("ModuleNotFoundError", "ImportError", "FileNotFoundError", "NameError", "ConnectionError")
FAILS_HERE, FAILS_FROM_HERE = "fails here: ", "fails on the way from here: "
FEWEST_SAMPLES, FEWEST_DRAWS = 4, 4
SHARED_ENOUGH, NEARLY_ALL = 0.1, 0.9

Places = set[tuple[str, int]]
Loaders = list[dict[int, Mapping[str, Any]]]


def verdict(finding: Finding, path: str, result: Result) -> Verdict:
    code, places = finding.code, places_of(finding, path)
    if code in UNEVEN:
        return _uneven(finding, path, places, result)
    if not _reached(finding, path, result):
        if result.outcome.kind == "inconclusive" and result.outcome.reason != "nothing-communicated":
            return _open(f"{result.outcome.reason}: {result.outcome.sentence}"[:300])
        return Verdict("not-reached", "the run ended without executing this line", "run")
    if code in SHARED_DATA:
        return _shared_data(finding, places, result)
    if code in REPEATED:
        return _repeated(places, result)
    if code in DRAWS:
        return _draws(finding, path, places, result)
    if code in WRITES:
        return _writes(finding, path, places, result)
    return _failing(finding, path, result)


def places_of(finding: Finding, path: str) -> Places:
    """The statement of the finding and the steps of its trail."""
    first, last = locate.span_of(path, finding.span.line)
    relative = finding.span.path
    root = path[: -len(relative)] if path.endswith(relative) else os.path.dirname(path)
    steps = {(os.path.realpath(os.path.join(root, step.path)), step.line) for step in finding.trail}
    return steps | {(path, number) for number in range(first, last + 1)}


def _reached(finding: Finding, path: str, result: Result) -> bool:
    first, last = locate.span_of(path, finding.span.line)
    return any(first <= number <= last for number in result.covered.get(path, {}))


def _open(reason: str) -> Verdict:
    return Verdict("inconclusive", reason, "run")


def _facts(kind: str, result: Result) -> dict[int, Mapping[str, Any]]:
    return {int(fact["rank"]): fact for fact in result.facts if fact.get("kind") == kind and "rank" in fact}


def _in_places(stack: Any, places: Places) -> bool:
    return any((os.path.realpath(str(item["path"])), int(item["line"])) in places for item in stack)


# samples


def _loaders(finding_places: Places, result: Result) -> Loaders:
    """The loaders this finding speaks of, each by rank; the only loader of the run if it names none."""
    everywhere = _everywhere(result)
    named = [loaders for loaders in everywhere if any(_speaks_of(item, finding_places) for item in loaders.values())]
    return named or (everywhere if len(everywhere) == 1 else [])


def _everywhere(result: Result) -> Loaders:
    """Those that all ranks have."""
    table: dict[tuple[str, int], dict[int, Mapping[str, Any]]] = {}
    for rank, fact in _facts("samples", result).items():
        seen: dict[str, int] = {}
        for loader in fact["loaders"]:
            where = str([(item["path"], item["line"]) for item in loader["made"]])
            seen[where] = seen.get(where, 0) + 1
            table.setdefault((where, seen[where]), {})[rank] = loader
    return [loaders for loaders in table.values() if len(loaders) == result.ranks > 1]


def _with_takers(named: Loaders, result: Result) -> Loaders:
    """And what takes its items from these and hands on others, such as a generator of batches."""
    found = list(named)
    for by_rank in found:
        takers = {
            (str(item["into"]["path"]), int(item["into"]["line"])) for item in by_rank.values() if item.get("into")
        }
        for other in _everywhere(result):
            data = next(iter(other.values())).get("data") or {"path": "", "first": 0}
            if other not in found and (str(data["path"]), int(data["first"])) in takers:
                found.append(other)
    return found


def _speaks_of(loader: Mapping[str, Any], places: Places) -> bool:
    if _in_places([*loader["made"], *loader["read"]], places):
        return True
    data = loader.get("data")
    return data is not None and any(
        path == os.path.realpath(data["path"]) and data["first"] <= line <= data["last"] for path, line in places
    )


def _shared_data(finding: Finding, places: Places, result: Result) -> Verdict:
    loaders = _loaders(places, result)
    if not loaders:
        return _open("no-loader: no DataLoader of this place was read by every rank")
    if _model_parallel(result):
        return _open("model-parallel: ranks that share a model may share its samples on purpose")
    verdicts = [_one_loader(finding, by_rank) for by_rank in loaders]
    return next((item for item in verdicts if item.state == "confirmed"), verdicts[0])


def _model_parallel(result: Result) -> bool:
    if any(fact.get("model_parallel") for fact in _facts("samples", result).values()):
        return True
    return any(1 < len(event.members) < result.ranks or event.operation == "new_group" for event in result.events)


def _one_loader(finding: Finding, by_rank: Mapping[int, Mapping[str, Any]]) -> Verdict:
    first = {rank: loader["epochs"][0] for rank, loader in by_rank.items()}
    names = {rank: epoch["samples"] for rank, epoch in first.items()}
    if not any(epoch["trains"] for epoch in first.values()):
        return _open("no-training: what is read for evaluation may be read by every rank")
    if any(len(given) < FEWEST_SAMPLES for given in names.values()):
        return _open("too-few-samples: the ranks drew too little to compare")
    for rank, loader in by_rank.items() if finding.code == "DT205" else ():
        for one, other in itertools.combinations(range(len(loader["by_worker"])), 2):
            shared = {*loader["by_worker"][one]} & {*loader["by_worker"][other]}
            if len(shared) >= FEWEST_SAMPLES:
                text = f"workers {one} and {other} of rank {rank} read the same samples: {len(shared)} of them"
                return Verdict("confirmed", text, "run")
    if any(len({*given}) * 2 < len(given) for given in names.values()):
        return _open("samples-alike: most samples of this data are equal")
    for one, other in itertools.combinations(sorted(names), 2):
        shared = {*names[one]} & {*names[other]}
        smaller = min(len({*names[one]}), len({*names[other]}))
        # numbers and short texts may be equal by chance, whole samples hardly
        enough = NEARLY_ALL if all(loader.get("values") for loader in by_rank.values()) else SHARED_ENOUGH
        if len(shared) > max(len(by_rank), enough * smaller):
            text = f"ranks {one} and {other} read the same samples: {len(shared)} of {smaller} compared"
            return Verdict("confirmed", text, "run")
    if any(loader["workers"] > 1 and not loader["by_worker"] for loader in by_rank.values()):
        return _open("no-workers: loaders ran without worker processes, so what workers share was not seen")
    if finding.code in ("DT201", "DT205") and all(epoch["whole"] for epoch in first.values()):
        counts = " and ".join(str(len(names[rank])) for rank in sorted(names))
        return Verdict("refuted", f"no sample was read by two ranks ({counts} compared)", "run")
    return _open("samples-differ: the ranks read different samples in this run")


def _uneven(finding: Finding, path: str, places: Places, result: Result) -> Verdict:
    """Ranks with more batches wait in a collective for those with fewer."""
    outcome = result.outcome
    parted = outcome.kind in judge.PARTED and _reached(finding, path, result)
    for by_rank in _with_takers(_loaders(places, result), result) if parted else ():
        for one, other in itertools.permutations(sorted(by_rank), 2):
            for short, long in zip(by_rank[one]["epochs"], by_rank[other]["epochs"]):
                if short["whole"] and long["batches"] > short["batches"]:
                    counts = f"rank {one} had {short['batches']} batches, rank {other} went on to {long['batches']}"
                    return Verdict("confirmed", f"{counts}: {outcome.sentence}"[:300], "run")
    return judge.verdict(finding, path, result)


def _repeated(places: Places, result: Result) -> Verdict:
    loaders = _loaders(places, result)
    orders = [
        [epoch["indices"] for epoch in loader["epochs"] if (epoch["whole"] or epoch.get("cut")) and epoch["trains"]]
        for by_rank in loaders
        for loader in by_rank.values()
        if any(epoch["trains"] for epoch in loader["epochs"])
    ]
    if not orders or any(len(epochs) < 2 or len(epochs[0]) < FEWEST_SAMPLES for epochs in orders):
        return _open("one-epoch: no two whole epochs of this loader were seen")
    if all(epochs[0] == epochs[1] for epochs in orders):
        text = f"the second epoch read the same samples in the same order as the first ({len(orders[0][0])} samples)"
        return Verdict("confirmed", text, "run")
    return Verdict("refuted", "the second epoch read its samples in another order", "run")


# random numbers


def _draws(finding: Finding, path: str, places: Places, result: Result) -> Verdict:
    facts = _facts("draws", result)
    if len(facts) < 2:
        return _open("one-view: the random numbers of several ranks were not seen")
    tables = {
        rank: {(str(item["path"]), int(item["line"])): item for item in fact["draws"]} for rank, fact in facts.items()
    }
    seeds = {
        rank: {str(item["value"]) for item in fact["seeds"] if (str(item["path"]), int(item["line"])) in places}
        for rank, fact in facts.items()
    }
    one_seed = all(len(given) == 1 for given in seeds.values()) and len(set().union(*seeds.values())) == 1
    all_differ = all(seeds.values()) and len(set().union(*seeds.values())) == sum(map(len, seeds.values()))
    # a generator of one's own keeps its numbers to itself
    own = "Generator" in locate.line_of(path, finding.span.line)
    for place in sorted(set.intersection(*(set(table) for table in tables.values()))):
        drawn = [tables[rank][place]["numbers"] for rank in sorted(tables)]
        count = min(map(len, drawn))
        if not count or any(numbers[:count] != drawn[0][:count] for numbers in drawn):
            continue
        of_generator = bool(tables[min(tables)][place].get("generator"))
        again_and_again = count >= FEWEST_DRAWS and (of_generator if own else one_seed and not of_generator)
        if (place in places and count > 1) or again_and_again:
            name = tables[min(tables)][place]["name"]
            where = f"{os.path.basename(place[0])}:{place[1]}"
            return Verdict("confirmed", f"{name} at {where} drew the same numbers on every rank, {count} times", "run")
    if all_differ:
        return Verdict("refuted", "every rank seeds with a number of its own here", "run")
    return _open("no-draws: no random numbers that depend on this seed were compared")


# files


def _writes(finding: Finding, path: str, places: Places, result: Result) -> Verdict:
    """Ranks that make one directory are a matter of the second one's failure."""
    paths: dict[str, set[int]] = {}
    writers: set[int] = set()
    ways: set[str] = set()
    own = judge.own_places(finding, path)
    for rank, fact in _facts("writes", result).items():
        for item in fact["writes"]:
            # on the way to a step of the trail other things are written, too
            here = _in_places(item["stack"], own) or _in_places(item["stack"][-1:], places)
            if item["how"] not in ("read", "mkdir") and here:
                paths.setdefault(str(item["path"]), set()).add(rank)
                writers.add(rank)
                ways.add(str(item["how"]))
    for path, ranks in sorted(paths.items()):
        if len(ranks) > 1:
            who = " and ".join(map(str, sorted(ranks)))
            return Verdict("confirmed", f"ranks {who} write {os.path.basename(path)} here", "run")
    if found := failing(finding, path, result):
        return found
    if len(writers) == result.ranks > 1 and ways <= {"open", "torch.save"}:
        return Verdict("refuted", "every rank writes a file of its own here", "run")
    return _open("no-writes: the run did not write here" if not writers else "one-side-only: the ranks shared no file")


def shared_reads(result: Result) -> dict[tuple[str, int], int]:
    """Lines where ranks read files, and how many files were read there by several of them."""
    readers: dict[tuple[str, int], dict[str, set[int]]] = {}
    for rank, fact in _facts("writes", result).items():
        for item in fact["writes"]:
            if item["how"] == "read":
                last = item["stack"][-1]
                files = readers.setdefault((str(last["path"]), int(last["line"])), {})
                files.setdefault(str(item["path"]), set()).add(rank)
    return {place: sum(len(ranks) > 1 for ranks in files.values()) for place, files in readers.items()}


# failures


def failures_at(places: Places, result: Result, unrelated: tuple[str, ...] = UNRELATED) -> list[str]:
    """What the ranks that failed in these lines said."""
    texts = []
    for end in result.ends:
        frames = {place.real for place in end.stack}
        without_meaning = end.text.startswith(unrelated) or end.origin == "injected"
        if end.how == "exception" and not without_meaning and frames & places:
            texts.append(end.text.splitlines()[0][:200])
    return texts


def failing(finding: Finding, path: str, result: Result, unrelated: tuple[str, ...] = UNRELATED) -> Verdict | None:
    """The failure at the finding's own lines, or else at those of its trail."""
    own = judge.own_places(finding, path)
    if texts := failures_at(own, result, unrelated):
        return Verdict("confirmed", f"{FAILS_HERE}{texts[0]}", "run")
    if texts := failures_at(places_of(finding, path), result, unrelated):
        return Verdict("confirmed", f"{FAILS_FROM_HERE}{texts[0]}", "run")
    return None


def _failing(finding: Finding, path: str, result: Result) -> Verdict:
    found = failing(finding, path, result)
    return found or _open("the line ran and did not fail, which a tiny run does not rule out")
