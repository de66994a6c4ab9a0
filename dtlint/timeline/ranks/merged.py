"""Is a question asked of a number that the ranks go on to merge?

Who adds up a count over the ranks says that each of them has a count of its own: were it the same for all, nothing
would be left to add up. So it is each rank for itself that decides on such a count, and on whether there is anything
to count, whoever has handed it to this function.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.findings import Step
from dtlint.machine.control.agreeing import AGREED
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.computing.tensors import SIZE_OF, method_of
from dtlint.machine.logs import Choice, Event, plain_question
from dtlint.machine.run import Run
from dtlint.machine.starts.given import settled
from dtlint.machine.values import Cause, Object, Symbol, Trail, Tuple, Unknown, Value
from dtlint.timeline.ranks.matching import given_to
from dtlint.timeline.ranks.shown import OF_KIND

MERGED = "merged"  # kind of cause: the ranks put it together, so each has its own
MERGES = frozenset(
    {"all_reduce", "reduce", "reduce_scatter", "all_gather", "gather", "all_gather_object", "gather_object"}
)
OF_OBJECTS = frozenset({"all_gather_object", "gather_object"})
SUMMED = frozenset({"sum", "mean", "max", "min", "amax", "amin", "any", "all", "norm", "count_nonzero", "nansum"})
COUNTS = frozenset({"len", "length", "builtins.len"})
SIZES = frozenset({"numel", "nelement"})
MAKERS = frozenset({"tensor", "new_tensor", "as_tensor", "FloatTensor", "LongTensor", "IntTensor"})
TURNS = frozenset({"index", "number", "count", "turn"})  # what a loop counts: the same on all ranks, as far as one sees
TRAINED = frozenset({"parameters", "named_parameters", "grad", "param_groups", "main_grad"})  # every rank has them all
MERGED_HERE = "merged by the ranks"  # of a run: what is merged, and where


class Merged:
    """The numbers that the collectives of a run put together, and what they were added up from, with their places."""

    def __init__(self, run: Run) -> None:
        self.numbers: dict[Symbol, Event] = {}
        self.contents: dict[Symbol, Event] = {}
        self.revealed: dict[Symbol, Event] = {}  # what a tensor that is known as one has told of what is in it
        for node, _ in run.walk():
            if isinstance(node, Event) and node.kind == "collective" and node.op in MERGES:
                for value in given_to(node):
                    if isinstance(value, Unknown):
                        self.revealed.setdefault(before_meeting(value.symbol), node)
                    for symbol in symbols_of(value):
                        self.take(symbol, node, node.op in OF_OBJECTS)

    def take(self, symbol: Symbol, event: Event, added_up: bool) -> None:
        for part, inside in computed_from(before_meeting(symbol), added_up):
            if inside:
                self.contents.setdefault(part, event)
            else:
                self.numbers.setdefault(part, event)

    def of(self, number: Symbol) -> Event | None:
        """Where ranks merge this number, or what it is the size of."""
        if number in self.numbers:
            return self.numbers[number]
        thing = measured(number)
        if thing is None:
            return None
        found = self.contents.get(thing)
        return self.revealed.get(thing) if found is None and number.key[0] == SIZE_OF else found


def cause_of(run: Run, node: Choice) -> Cause | None:
    """Why this question, which has one answer as far as anybody sees, is answered by each rank for itself."""
    if node.symbol is None:
        return None
    numbers = [one for one in asked_for(node.symbol) if may_be_own(one)]
    if not numbers:
        return None
    known: Merged | None = run.cache.get(MERGED_HERE)
    if known is None:
        known = run.cache[MERGED_HERE] = Merged(run)
    event = next((found for one in numbers if (found := known.of(one)) is not None), None)
    if event is None:
        return None
    text = f"`{event.op}()` merges this over the ranks: each has its own"
    return Cause(MERGED, Trail(Step.of(event, text)))


def symbols_of(value: Value | None) -> Iterator[Symbol]:
    if isinstance(value, Unknown):
        yield value.symbol
    elif isinstance(value, Object) and value.kind == "torch.Tensor":
        yield from symbols_of(value.attributes.get("content"))
    elif isinstance(value, Tuple):
        for one in value.items[:16]:
            yield from symbols_of(one)


def before_meeting(symbol: Symbol) -> Symbol:
    """What a rank has brought, whatever a collective has put into it since."""
    while symbol.key[0] == AGREED and isinstance(symbol.key[1], Symbol):
        symbol = symbol.key[1]
    return symbol


def computed_from(symbol: Symbol, inside: bool) -> Iterator[tuple[Symbol, bool]]:
    """The numbers it was computed from, and the things of which it adds up what is inside. What something is divided
    by, or multiplied with, may be anybody's: the number of ranks, a weight from the settings."""
    todo: list[tuple[Any, bool]] = [(symbol, inside)]
    seen: set[tuple[Symbol, bool]] = set()
    while todo and len(seen) < 100:
        one, added_up = todo.pop()
        if not isinstance(one, Symbol) or (one, added_up) in seen:
            continue
        seen.add((one, added_up))
        yield one, added_up
        todo.extend(steps_back(one, added_up))


def steps_back(symbol: Symbol, inside: bool) -> Iterator[tuple[Any, bool]]:
    method = method_of(symbol)
    if method is not None:
        owner, name = method
        if name in MAKERS:
            yield from ((one, inside) for one in symbol.key[2:])
        else:
            yield owner, inside or name in SUMMED
    elif symbol.key[0] in ("tensor", "op +", "op -"):
        yield from ((one, inside) for one in symbol.key[1:])
    elif isinstance(symbol.key[0], str) and symbol.key[0].startswith(("op /", "op *", "unary ", "builtins.")):
        yield from ((one, inside) for one in symbol.key[1:2])
    elif isinstance(symbol.key[0], str) and symbol.key[0].startswith("torch."):
        added_up = inside or symbol.key[0].rpartition(".")[2] in SUMMED
        yield from ((one, added_up) for one in symbol.key[1:2])
    elif symbol.key[0] == "item" and inside and len(symbol.key) > 2:
        yield symbol.key[2], True  # `weights[chosen].sum()`: of as many as there are chosen


def asked_for(question: Symbol) -> Iterator[Symbol]:
    """The numbers, or the things of which it matters whether there is anything in them, that a question is about."""
    asked, _ = plain_question(question)
    if asked is None:
        return
    what, *of = asked.key
    if what in ("and", "or", "not", "bool"):
        for part in of:
            if isinstance(part, Symbol):
                yield from asked_for(part)
    elif isinstance(what, str) and what.startswith("compare "):
        if what in ("compare in", "compare is"):
            return
        sides = [one for one in of if isinstance(one, Symbol)]
        if len(sides) == 1:  # beside a number that is written down
            yield sides[0]
    elif what not in OF_KIND:
        yield asked


def may_be_own(number: Symbol) -> bool:
    """Not what the program was given, what a loop counts, or what a collective has given to all."""
    if settled(number) or number.key[0] in TURNS:
        return False
    return not any(
        one.key[0] == AGREED or (one.key[0] == "attr" and one.key[-1] in TRAINED) for one in symbols_in(number)
    )


def measured(number: Symbol) -> Symbol | None:
    """`len(chosen)`, `chosen.numel()`: of what is this the size? A list that is asked whether it is empty, too."""
    method = method_of(number)
    if method is not None and method[1] in SIZES:
        return method[0] if isinstance(method[0], Symbol) else None
    if number.key[0] == SIZE_OF:
        return number.key[-1] if number.key[2] in SIZES and isinstance(number.key[-1], Symbol) else None
    if number.key[0] in COUNTS:
        return number.key[1] if isinstance(number.key[1], Symbol) else None
    return number
