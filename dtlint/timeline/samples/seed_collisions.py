"""Which ranks or workers end up with the same seed? (DT308)"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

from dtlint.findings import Step
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.drawing.seeds import GENERATORS
from dtlint.machine.library.feeding import inside
from dtlint.machine.library.feeding.batches import NOTHING_LEFT
from dtlint.machine.library.feeding.whole_batches import RANGES
from dtlint.machine.library.meeting import evidence
from dtlint.machine.logs import Event, Site
from dtlint.machine.run import Run
from dtlint.machine.starts.given import settled
from dtlint.machine.values import Const, Row, Symbol, Unknown, Value
from dtlint.timeline.options import usual
from dtlint.timeline.places.loggers import reckons_with_more
from dtlint.timeline.places.wrong_scopes import of_one_machine
from dtlint.timeline.samples.noise import (
    AGREES,
    FEWEST,
    Steps,
    generator_of,
    noise_to_learn_from,
    seed_of,
    told_workers,
    walked,
    workers_of,
)
from dtlint.timeline.steps.training import Path, place_of, step_at, survey

WORLD = "act-begin"  # a simulated world is begun, from a number that it is given
BESIDE_A_TURN = (
    "the rank and the number of the turn are added, so in the next turn a rank repeats what another has in this"
)


def collisions(run: Run) -> Iterator[tuple[Site, Steps, str]]:
    told: set[Any] = set()  # one product, or one number, may seed several generators
    if evidence.distributed(run):
        seeded = [*survey(run).of("seed"), *survey(run).of("key seed"), *survey(run).of(WORLD)]
        for event, _ in seeded:
            for found in rank_collision(run, event):
                if found[0] not in told:
                    told.add(found[0])
                    yield found
        yield from several_of_a_rank(run, seeded)
    for event, _ in survey(run).of("fold"):
        value = seed_of(event)
        if isinstance(value, Row) and event.mask == run.world.full and beside_a_turn(value):
            text = "the number of the host and of the turn are added, so a host repeats in the next what another draws"
            yield (event.path, event.at, event.function), value.cause.steps(), text
    yield from workers_seeded_alike(run)
    for loader, known in walked(run):
        made = loader.facts.get("worker start")
        workers = workers_of(run, loader, known)
        if not workers or workers < FEWEST:
            continue
        # what a worker does when it starts, and what the data set does in it
        ran = (*((made,) if made is not None else ()), *(look for look in known.looks if not look.cut))
        for event in (event for one in ran for event in one.events("seed")):
            value = seed_of(event)
            why = worker_collision(value, workers) if value is not None else ""
            if value is not None and why and (loader.number, token(value)) not in told:
                told.add((loader.number, token(value)))
                place = (event.path, event.at, event.function)
                from_rank = value.cause.steps() if isinstance(value, Row) else ()
                runs = step_at(place_of(loader), f"runs in each of {told_workers(known, workers)}")
                yield place, (*from_rank, runs), why


def workers_seeded_alike(run: Run) -> Iterator[tuple[Site, Steps, str]]:
    """A `worker_init_fn` that gives all workers of a rank one seed, for what the data set draws with it."""
    for use in survey(run).training():
        made, known = use.loader.facts.get("worker start"), use.described
        if made is None or made.cut or (workers_of(run, use.loader, known) or 0) < FEWEST:
            continue
        drawn = [event for look in known.looks if not look.cut for event in noise_of(look)]
        for event in made.events("seed"):
            value = seed_of(event)
            lanes = value.lanes if isinstance(value, Row) else (value,)
            first = next((one for one in drawn if package(one) == package(event)), None)
            if generator_of(event) is not None or first is None or not all(map(of_settings, lanes)):
                continue
            place = (event.path, event.at, event.function)
            draws = Step.of(first, "each worker draws the same numbers here for samples of its own")
            yield place, (step_at(place_of(use.loader), "runs in each of its workers"), draws), "no worker has its own"


def noise_of(look: inside.Inside) -> Iterator[Event]:
    """What is drawn from the global generators for samples, and not for an order that the workers divide."""
    divided = bool(inside.splits_by_worker(look))
    for event in look.events("draw"):
        if generator_of(event) is None and not (divided and event.api.rpartition(".")[2] in AGREES):
            yield event


def package(event: Event) -> str:
    return event.api.partition(".")[0]


def of_settings(number: Value | None) -> bool:
    """Is it written down, or computed of what was given to the program, and of nothing that a worker asks?"""
    if isinstance(number, Const):
        return True
    return isinstance(number, Unknown) and number.cause is None and is_setting(number.symbol)


def is_setting(part: Any) -> bool:
    if not isinstance(part, Symbol):
        return provenance.number_in(part) is not None
    if settled(part):
        return True
    if part.key[0].startswith("op "):
        return all(map(is_setting, part.key[1:]))
    named = part.key[0] in ("attr", "item") and len(part.key) == 3 and isinstance(part.key[2], str)
    return named and not any(map(inside.is_info, provenance.symbols_in(part)))


def several_of_a_rank(run: Run, seeded: list[tuple[Event, Path]]) -> Iterator[tuple[Site, Steps, str]]:
    """`[Generator().manual_seed(seed + rank + i) for i in range(4)]`: the second of one is the first of the next."""
    made: dict[Any, list[Event]] = {}
    for event, path in seeded:
        if event.mask == run.world.full:
            made.setdefault((event.path, event.at, tuple(map(id, path))), []).append(event)
    for events in made.values():
        values = [value for event in events if isinstance(value := number_given(event), Row)]
        if len(values) == len(events) > 1 and met_elsewhere(values) and draws_for_itself(run, events[0]):
            place: Site = (events[0].path, events[0].at, events[0].function)
            yield place, values[0].cause.steps(), BESIDE_A_TURN


def met_elsewhere(values: list[Row]) -> bool:
    """Is a number that one rank has in one turn that of another rank in another turn?"""
    lanes = [[token(lane) for lane in value.lanes] for value in values]
    if any(len(set(row)) < len(row) for row in lanes):
        return False  # ranks that share a number, such as the local one, are another matter
    places: dict[Any, set[int]] = {}
    for row in lanes:
        for rank, number in enumerate(row):
            places.setdefault(number, set()).add(rank)
    return any(len(ranks) > 1 for ranks in places.values())


def number_given(event: Event) -> Value | None:
    """The number that a generator, or a simulated world, begins with."""
    value = event.extra["call"].get("seed") if event.op == WORLD else seed_of(event)
    return item_of_each(value) if isinstance(value, Unknown) and value.cause is not None else value


def item_of_each(value: Unknown) -> Value:
    """`for number in [seed + rank + i for i in numbers]`: what the ranks have of a list that they have made alike."""
    made = value.symbol.key[1] if value.symbol.key[0] == "item" and len(value.symbol.key) == 2 else None
    base = made.key[-1] if isinstance(made, Symbol) and made.key[0] == "comprehension" else None
    lanes = base.key[1] if isinstance(base, Symbol) and base.key[0] == "comprehension" else None
    if not isinstance(lanes, tuple) or not all(isinstance(one, Symbol) for one in lanes) or value.cause is None:
        return value
    return Row(tuple(map(Unknown, lanes)), value.cause)


def draws_for_itself(run: Run, event: Event) -> bool:
    """Is what is seeded there kept for numbers that should differ?"""
    return event.op == WORLD or of_its_own(event) or noise_from(run, (event.path, event.at, event.function))


def rank_collision(run: Run, event: Event) -> Iterator[tuple[Site, Steps, str]]:
    value = number_given(event)
    place: Site = (event.path, event.at, event.function)
    lost = next((site for result, site in run.facts.get(NOTHING_LEFT, ()) if result is value), None)
    if lost is not None:
        used = Step.of(event, "the product seeds a generator here")
        yield lost, (used,), "the seed is multiplied by the rank, and a seed of 0 is 0 on every rank"
    if not isinstance(value, Row) or event.mask != run.world.full:
        return
    made = next((site for result, site in run.facts.get("rank products", ()) if result == value), None)
    trail = (*value.cause.steps(), Step.of(event, "the product seeds a generator here"))
    if times_zero(value):
        yield made or place, trail, "the seed is multiplied by the rank, so a seed of 0 is 0 on every rank"
    elif times_usual_zero(run, value):
        yield (
            place,
            trail,
            "the seed is multiplied by a number of the rank, and it is 0 unless somebody asks for another",
        )
    elif made is not None and transposed(value):
        yield made, trail, "the product is equal for different ranks"
    elif times_first_turn(run, value):
        text = "the rank is multiplied by the number of the turn, so all ranks get the same seed in turn 0"
        yield place, trail, text
    elif beside_a_turn(value) and draws_for_itself(run, event):
        yield place, value.cause.steps(), BESIDE_A_TURN
    elif of_its_node(run, value) and draws_for_itself(run, event) and on_several_machines(run):
        text = "the number on the node is in it, and that is equal for a rank of each node"
        yield place, (*value.cause.steps(), Step.of(event, "seeds what draws for this rank's batch")), text


def of_its_node(run: Run, value: Row) -> bool:
    """`seed + local_rank`: the ranks of one node have a number each, and those of the next have the same ones."""
    lanes, ranks = [token(lane) for lane in value.lanes], run.world.per_host
    first, *others = (lanes[start : start + ranks] for start in range(0, len(lanes), ranks))
    return value.cause.kind == "local rank" and len(set(first)) > 1 and all(one == first for one in others)


def on_several_machines(run: Run) -> bool:
    return reckons_with_more(run) and not of_one_machine(run)


def times_zero(value: Row) -> bool:
    """`seed * rank` where nobody knows that the seed is not 0."""
    first = value.lanes[0]
    if not isinstance(first, Unknown) or first.symbol.key[0] != "op *":
        return False
    factors = first.symbol.key[1:3]
    return any(provenance.number_in(one) == 0 for one in factors) and any(isinstance(one, Symbol) for one in factors)


def times_usual_zero(run: Run, value: Row) -> bool:
    """`seed * (rank + 1)`, where the option of this name is 0 by default."""
    sums = [as_sum(lane.symbol) if isinstance(lane, Unknown) else None for lane in value.lanes]
    known = {part for one in sums for part in one or ()}
    if None in sums or len(known) != 1 or not isinstance(part := known.pop(), Symbol):
        return False
    zero = usual(run, Unknown(part))
    return isinstance(zero, Const) and zero.value == 0 and zero.scale is None


def times_first_turn(run: Run, value: Row) -> bool:
    """`seed + rank * epoch`: the rank stands in a product alone, with a number that begins with 0."""
    sums = [terms(lane.symbol) if isinstance(lane, Unknown) else [] for lane in value.lanes]
    first = sums[0]
    if not all(len(one) == len(first) for one in sums):
        return False
    apart = [one for one in zip(*sums, strict=True) if any(term != one[0] for term in one)]
    return bool(apart) and all(is_product_with_turn(run, term) for one in apart for term in one)


def is_product_with_turn(run: Run, term: Any) -> bool:
    if not isinstance(term, Symbol) or term.key[0] != "op *":
        return False
    turns = [part for part in term.key[1:] if isinstance(part, Symbol) and part.key[0] == "number"]
    walked = [run.facts.get(RANGES, {}).get(turn.key[1]) for turn in turns]
    return any(one is not None and one.attributes["start"] == Const(0) for one in walked)


def of_its_own(event: Event) -> bool:
    """Is it one generator that is seeded, kept for numbers that should differ, and not the default of everything?"""
    row = event.extra["call"].row
    return row.type in GENERATORS or row.name.rpartition(".")[0] in GENERATORS


def noise_from(run: Run, seeded: Site) -> bool:
    """Does every rank draw noise for its batch from what is seeded there, if that seeds the global generators?"""
    sites: set[Any] | None = run.cache.get("noise to learn from")
    if sites is None:
        sites = {state.site for _, _, state in noise_to_learn_from(run)}
        run.cache["noise to learn from"] = sites
    return seeded in sites


def beside_a_turn(value: Row) -> bool:
    """`seed + epoch + rank`: a number that goes up by one with the turns, and by one with the ranks."""
    sums = [terms(lane.symbol) if isinstance(lane, Unknown) else None for lane in value.lanes]
    if any(one is None or not any(is_turn(term) for term in one) for one in sums):
        return False
    fixed = [sum(provenance.number_in(term) or 0 for term in one or ()) for one in sums]
    return all(after - before == 1 for before, after in itertools.pairwise(fixed))


def is_turn(term: Any) -> bool:
    return isinstance(term, Symbol) and term.key[0] in ("number", "loop")


def transposed(value: Row) -> bool:
    """Some lanes are equal, though not in rows of equal length as they are where one coordinate is left out."""
    if not all(isinstance(lane, Const) for lane in value.lanes):
        return False
    sizes = set(Counter(lane.value for lane in value.lanes).values())  # type: ignore[attr-defined]
    return len(sizes) > 1


def worker_collision(value: Value, workers: int) -> str:
    """Sums in which the worker's number stands beside another small number."""
    lanes = value.lanes if isinstance(value, Row) else (value,)
    if len(lanes) > 1 and multiplied_by_worker(lanes) and repeated_by_worker(lanes, workers):
        return "the rank is multiplied by the worker's number, and the products are equal for different ranks"
    sums = [terms_of_worker(lane.symbol) if isinstance(lane, Unknown) else None for lane in lanes]
    if any(one is None or not any(is_worker_number(term) for term in one) for one in sums):
        return ""
    first = sums[0] or []
    if any(is_turn(term) for term in first):
        return "the worker's number and the epoch are added, so the next epoch's workers repeat this one's"
    if len(sums) > 1 and repeated_by_worker(lanes, workers):
        return "the worker's number and the rank are added, so the next rank's workers repeat this one's"
    return ""


WORKER = "worker"
Sum = dict[Any, int]  # how often each part stands in a sum; plain numbers under 1


def repeated_by_worker(lanes: tuple[Value, ...], workers: int) -> bool:
    """Do workers of two ranks get the same seed?"""
    sums = [as_sum(lane.symbol) if isinstance(lane, Unknown) else None for lane in lanes]
    for one, other in itertools.combinations(sums, 2):
        if one is None or other is None or one == other or beside_the_worker(one) != beside_the_worker(other):
            continue  # ranks that share a number, such as the local one, are another matter
        mine, theirs = (
            {held.get(1, 0) + held.get(WORKER, 0) * number for number in range(workers)} for held in (one, other)
        )
        if not mine.isdisjoint(theirs):
            return True
    return False


def beside_the_worker(held: Sum) -> Sum:
    return {part: times for part, times in held.items() if part not in (1, WORKER)}


def multiplied_by_worker(lanes: tuple[Value, ...]) -> bool:
    sums = [as_sum(lane.symbol) if isinstance(lane, Unknown) else None for lane in lanes]
    return len({held[WORKER] for held in sums if held is not None and WORKER in held}) > 1


def as_sum(part: Any) -> Sum | None:
    """`seed + 2 * (worker + 1)`: the seed, two workers and 2; None where products are of more than one unknown."""
    number = provenance.number_in(part)
    if number is not None:
        return {1: number}
    if not isinstance(part, Symbol):
        return None
    side = chosen(part)
    if side is not None:
        return as_sum(side)
    if is_worker_number(part):
        return {WORKER: 1}
    if part.key[0] not in ("op +", "op -", "op *"):
        return {part: 1}
    left, right = as_sum(part.key[1]), as_sum(part.key[2])
    if left is None or right is None:
        return None
    if part.key[0] == "op *":
        plain, other = (left, right) if set(left) <= {1} else (right, left)
        return {one: times * plain.get(1, 0) for one, times in other.items()} if set(plain) <= {1} else None
    sign = 1 if part.key[0] == "op +" else -1
    return {one: left.get(one, 0) + sign * right.get(one, 0) for one in {**left, **right}}


def terms(symbol: Any) -> list[Any]:
    if isinstance(symbol, Symbol) and symbol.key[0] == "op +":
        return [*terms(symbol.key[1]), *terms(symbol.key[2])]
    return [symbol]


def terms_of_worker(symbol: Symbol) -> list[Any]:
    """The terms as a worker has them: `info.id if info is not None else 0` is its number."""
    found: list[Any] = []
    for term in terms(symbol):
        side = chosen(term)
        found.extend([term] if side is None else terms_of_worker(side))
    return found


def chosen(term: Any) -> Symbol | None:
    """What a worker gets of the two sides of a branch that asks whether this is one."""
    key = term.key if isinstance(term, Symbol) else ()
    answer = asked_of_worker(key[1]) if key[:1] == ("phi",) and len(key) == 4 else None
    side = None if answer is None else key[2] if answer else key[3]
    return side if isinstance(side, Symbol) else None


def asked_of_worker(question: Any) -> bool | None:
    """What a worker answers where it is asked whether it is one; None where something else is asked."""
    key = question.key if isinstance(question, Symbol) else ()
    if key[:1] == ("not",):
        answer = asked_of_worker(key[1])
        return None if answer is None else not answer
    if key[:1] in (("is none",), ("bool",)):
        return key[0] == "bool" if inside.is_info(key[1]) else None
    return True if inside.is_info(question) else None


def is_worker_number(term: Any) -> bool:
    if not isinstance(term, Symbol):
        return False
    if term.key[0] == "worker number":
        return True
    return inside.is_worker(term) and term.key[2] == "id"
