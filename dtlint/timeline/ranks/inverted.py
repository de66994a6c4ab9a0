"""Which decisions mean the main rank and take all the others? Which mean "given" and leave out index 0?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.findings import Span, Step
from dtlint.machine.lanes import lanes_in
from dtlint.machine.library.python.uncalled import WITHHELD, kind_of
from dtlint.machine.logs import Call, Decision, Event, LogNode, decisions
from dtlint.machine.run import Run
from dtlint.machine.values import NONE
from dtlint.timeline.places.files import accesses
from dtlint.timeline.records import guards_over, recorded

WRITES = ("file-write", "log", "log-init")
OPERATORS = frozenset("=<>!&|+-*/% ")
MAIN = ("is_main", "is_local_main")
LONGEST = 8  # lines of one condition


def inverted(run: Run) -> Iterator[tuple[Span, str, str, tuple[Step, ...]]]:
    """A bare rank, or a name that says main, which is true on every rank but 0 and guards what one rank writes."""
    found = list(recorded(run, *WRITES))
    main = {(event.path, event.at) for event, _ in found if event.mask & 1}
    own = {id(access.event) for access in accesses(run) if access.cause is not None} if found else set()
    # who opens a file that is named after its rank means the others
    seen = {id(decision) for event, path in found if id(event) in own for decision in decided(run, event, path)}
    for event, path in found:
        if (event.path, event.at) in main:
            continue  # rank 0 comes here another way: `rank == 0 or sharded`
        for decision in decided(run, event, path):
            if id(decision) in seen:
                continue
            seen.add(id(decision))
            span, name = place_of(run, decision)
            yield (
                span,
                name,
                event.api,
                (
                    *(decision.cause.steps() if decision.cause else ()),
                    Step.of(decision, f"`{asked_name(decision)}` is true on every rank but 0"),
                    Step.of(event, "every rank but 0 comes here"),
                ),
            )


def decided(run: Run, event: Event, path: tuple[LogNode, ...]) -> Iterator[Decision]:
    """The decisions on the way to this event that let all ranks through but the first."""
    for guards in (event.guards, *(node.guards for node in path if isinstance(node, Call))):
        for decision in decisions(guards):
            if all_but_main(run, decision, event.mask) or only_main_left(run, decision, event.mask):
                yield decision


def all_but_main(run: Run, decision: Decision, mask: int) -> bool:
    full = run.world.full
    return (
        decision.kind == "branch"
        and decision.cause is not None
        and decision.cause.kind == "rank"
        and decision.before == full
        and decision.taken == full & ~1
        and not mask & ~decision.taken
        and not decision.exit_word
        and bool(decision.text)
        and (
            means_main(run, decision.text)
            or is_name(decision)
            or names_rank(run, whole_text(run, decision))
            or withheld_before(run, decision) is not None
        )
    )


def only_main_left(run: Run, decision: Decision, mask: int) -> bool:
    """`if not self.main: return`, where that is the truth of the rank: rank 0 leaves, and the others go on."""
    return (
        decision.kind == "exit"
        and decision.exit_word == "return"
        and decision.cause is not None
        and decision.cause.kind == "rank"
        and decision.before == run.world.full
        and decision.taken == 1
        and not mask & 1
        and decision.text.startswith("not ")
        and called_main(run, asked_name(decision))
    )


def called_main(run: Run, text: str) -> bool:
    last = text.rpartition(".")[2]
    row = run.knowledge.parameters.get(last)
    return OPERATORS.isdisjoint(text) and ((row is not None and row.value in MAIN) or says_main(run, last))


def asked_name(decision: Decision) -> str:
    return decision.text.removeprefix("not ") if decision.kind == "exit" else decision.text


def withheld_before(run: Run, decision: Decision) -> tuple[Span, str] | None:
    """`if self.path is not None:`, where `self.path = path if rank else None`"""
    places = run.facts.get(WITHHELD, {})
    for step in decision.cause.steps() if places and decision.cause is not None else ():
        if (step.path, step.line) in places:
            at, name = places[step.path, step.line]
            return Span(step.path, *at), name
    return None


def is_name(decision: Decision) -> bool:
    """A plain name, whatever it says, that stands for the rank itself: `self.active = rank or alone`."""
    return decision.number and OPERATORS.isdisjoint(decision.text)


def without_gpu(run: Run) -> Iterator[tuple[Span, str, tuple[Step, ...]]]:
    """`if index and torch.cuda.is_available():` makes a device with that number, and otherwise it is the CPU: there is
    a GPU 0."""
    seen: set[int] = set()
    made = list(recorded(run, "device-named"))
    for event, path in made:
        if device_of(event) in (None, "cpu"):
            continue
        for decision in guards_over(event, path):
            if id(decision) in seen or not all_but_first(run, decision):
                continue
            others = decision.before & ~decision.taken
            instead = [one for one, _ in made if one.mask & others == others and one.function == event.function]
            instead = [one for one in instead if not one.mask & decision.taken] or instead
            if any(device_of(one) == "cpu" for one in instead):
                seen.add(id(decision))
                name = decision.text.split(" and ")[0]
                steps = (
                    *(decision.cause.steps() if decision.cause else ()),
                    Step.of(decision, f"`{name}` is 0, which is false, on the first of each node"),
                    Step(instead[0].path, instead[0].at[0], "that one gets the CPU"),
                )
                yield Span(decision.path, *decision.at), name, steps


def device_of(event: Event) -> str | None:
    return kind_of(next(iter(event.extra["call"].values), NONE))


def all_but_first(run: Run, decision: Decision) -> bool:
    """`local_rank`, `local_rank and torch.cuda.is_available()`"""
    numbers = run.world.local_ranks()
    return (
        decision.kind == "branch"
        and decision.cause is not None
        and decision.cause.kind == "local rank"
        and decision.before == run.world.full
        and decision.taken == sum(1 << lane for lane in lanes_in(run.world.full) if numbers[lane])
        and all(OPERATORS.isdisjoint(part) for part in decision.text.split(" and "))
    )


def means_main(run: Run, text: str) -> bool:
    """A plain name that is called like a rank or like who writes; what else is there on all ranks but the first may be
    meant so."""
    last = text.rpartition(".")[2].removesuffix("()")
    return OPERATORS.isdisjoint(text) and (
        last in rank_names(run) or last in run.knowledge.parameters or says_main(run, last)
    )


def says_main(run: Run, name: str) -> bool:
    """`primary` for `is_primary`"""
    row = run.knowledge.members.get(f"is_{name}")
    return row is not None and row.value in MAIN


def names_rank(run: Run, text: str) -> bool:
    """`save and due and jax.process_index()`: plain names, one of them the rank itself."""
    parts = text.split(" and ")
    if len(parts) < 2 or not all(OPERATORS.isdisjoint(part) for part in parts):
        return False
    last = {part.rpartition(".")[2].removesuffix("()") for part in parts if part.endswith("()")}
    return not last.isdisjoint(rank_names(run))


def whole_text(run: Run, decision: Decision) -> str:
    """Long conditions are cut in the log; the lines themselves have the rest."""
    if not decision.text.endswith("…"):
        return decision.text
    lines = [line.strip() for line in run.project.text(decision.path).splitlines()[decision.at[0] - 1 :][:LONGEST]]
    last = next((number for number, line in enumerate(lines) if line.endswith(":")), 0)
    return " ".join(lines[: last + 1]).removeprefix("el").removeprefix("if ").rstrip(":")


def rank_names(run: Run) -> frozenset[str]:
    """Last names of the functions that give the rank, older names included."""
    found: frozenset[str] | None = run.cache.get("rank names")
    if found is None:
        rows = run.knowledge.apis
        names = {name for name, row in rows.items() if row.value == "rank"}
        names |= {name for name, target in run.knowledge.aliases.items() if target in names}
        found = run.cache["rank names"] = frozenset(name.rpartition(".")[2] for name in names)
    return found


def place_of(run: Run, decision: Decision) -> tuple[Span, str]:
    """Where a name that says main got its value, or where the first rank was given nothing; otherwise the decision
    itself."""
    before = withheld_before(run, decision)
    if before is not None:
        return before
    parts = [part.rpartition(".")[2] for part in whole_text(run, decision).removeprefix("not ").split(" and ")]
    last = next((part for part in parts if part.removesuffix("()") in rank_names(run)), parts[-1])
    row = run.knowledge.parameters.get(last)
    if row is not None and row.value in MAIN and decision.cause is not None:
        for step in reversed(decision.cause.steps()):
            if step.text.startswith(f"`{asked_name(decision)}`"):
                return Span(step.path, step.line, 1, step.line, 1), last
    return Span(decision.path, *decision.at), last
