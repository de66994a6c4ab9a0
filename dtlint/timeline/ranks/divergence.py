"""Where do the ranks of one run part, and why? All the places, each once."""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.ir import nodes as ir
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.origins import SITES
from dtlint.machine.library.reading import BY_NAME
from dtlint.machine.logs import ASSERTED, Call, Choice, Place, decisions
from dtlint.machine.run import Run
from dtlint.timeline.ranks.certain import flush, scan
from dtlint.timeline.ranks.classify import RANK_KINDS
from dtlint.timeline.ranks.joining import joined
from dtlint.timeline.ranks.own_turns import in_own_turn
from dtlint.timeline.ranks.parting import Divergence, Pending, ends_with_a_turn
from dtlint.timeline.ranks.two_groups import crossed
from dtlint.timeline.ranks.undecided import origin, undecided
from dtlint.timeline.ranks.untold import Untold


def divergences(run: Run) -> list[Divergence]:
    """All places of a run, computed once."""
    found = run.cache.get("divergences")
    if found is None:
        found = run.cache["divergences"] = list(find(run))
    return found


def find(run: Run) -> Iterator[Divergence]:
    pending: Pending = {}
    certain = [*scan(run, run.log, (), pending, run.world.full), *flush(run, pending)]
    untold = Untold(run)
    certain = [
        one
        for one in certain
        if (one.here or one.shape != "exit")  # nobody waits
        and not follows_set_up(one, certain)
        and not untold.may_answer(one.here, one.absent)
        and not untold.answers_later(one)
        and (one.decision is None or one.decision.exit_word != ASSERTED)
        and not nobody_started(one)
        and not met_in_a_later_turn(one)
        and not others_ask_too(run, one)
        and not asks_for_owner(run, one)
    ]
    for one in certain:
        if one.shape == "exit" and turned_away(one):
            one.shape = "guarded"
    local = {one.decision.place for one in undecided(run) if one.shape == "local" and one.decision is not None}
    certain = [one for one in asked_once(certain) if not left_by_own_answer(one, local) and not joined(run, one)]
    yield from certain
    told = {id(event) for one in certain for event in (one.event, one.other, *one.further)}
    unsure = [one for one in undecided(run) if one.choice is None or not untold.below(one.choice)]
    unsure = [one for one in unsure if not asks_for_owner(run, one)]
    unsure = [one for one in unsure if not (before_spawn(run, one) or joined(run, one) or in_own_turn(run, one))]
    answers = {origin(one.cause) for one in certain if one.cause is not None and left_with_answer(one)}
    unsure = [one for one in unsure if one.cause is None or origin(one.cause) not in answers]
    yield from (one for one in unsure if id(one.event) not in told)  # ranks have parted on the way there already
    if not certain and not unsure:
        yield from crossed(run)


def asks_for_owner(run: Run, one: Divergence) -> bool:
    """`reduce(grad, dst=param.rank_id)`: what is known to be a rank by its name alone, and is named as the root, is the
    rank of whoever has what is sent. So is what is asked before: `if param.rank_id:`."""
    call = one.event.extra.get("call")
    if not isinstance(call, Invocation) or not call.row.root or call.node is None:
        return False
    if any(isinstance(written, ir.Call) for written in (*call.node.args, *(value for _, value in call.node.keywords))):
        return False  # `src=backend.get_rank()` asks for its own
    root = call.get(call.row.root)
    steps = root.cause.steps() if root is not None and root.cause is not None else ()
    if not steps or steps[0] not in run.facts.get(BY_NAME, ()):
        return False
    return one.argument == call.row.root or (one.cause is not None and one.cause.steps()[:1] == steps[:1])


def asked_once(certain: list[Divergence]) -> Iterator[Divergence]:
    """`if rank != 0: barrier()` before the work and again behind it: whoever waits in the first never comes to the
    second."""
    known: dict[object, Divergence] = {}
    for one in certain:
        asked = one.decision if one.shape == "guarded" else None
        above = frozenset(held for held in decisions(one.event.guards) if held is not asked)
        again = asked and (one.event.op, one.here, one.absent, asked.path, asked.function, above)
        first = known.setdefault(again or id(one), one)
        if first is one:
            yield one
        else:
            first.further += [one.event, *one.further]


def left_by_own_answer(divergence: Divergence, local: set[tuple[str, Place]]) -> bool:
    """Those who may leave here decide that each for itself, which is told of the question."""
    choice, cause = divergence.choice, divergence.cause
    by_rank = cause is None or cause.kind in RANK_KINDS | {"files"}  # all see the same files as a rule
    return choice is not None and not by_rank and choice.decision.place in local


def left_with_answer(divergence: Divergence) -> bool:
    """Some ranks return here before the others have met: what they return is another answer for that alone."""
    return divergence.shape == "exit" and divergence.way_out == "return"


def turned_away(divergence: Divergence) -> bool:
    """`if rank != 0: return` in the wrapper that a decorator puts around a function: it guards what it calls."""
    decision = divergence.decision
    return (
        decision is not None
        and decision.exit_word == "return"
        and "<locals>" in decision.function
        and any(isinstance(node, Call) and node.caller == decision.function for node in divergence.path)
    )


def met_in_a_later_turn(divergence: Divergence) -> bool:
    """`except FileNotFoundError: continue`, and the others leave the loop behind the call: who goes on to the next turn
    comes to the very call in it, or in the one after that."""
    decision = divergence.decision
    if divergence.shape != "exit" or decision is None or decision.exit_word != "continue":
        return False
    return ends_with_a_turn(divergence.path, decision.path, decision.function)


def others_ask_too(run: Run, divergence: Divergence) -> bool:
    """`if rank == 0: if not is_number(state): return …` and `else: if not is_note(state): return`: each side of the
    rank's branch has a way out by a question of its own after the same thing. Who thought of both wants them to be
    taken together, and nobody knows that they are not."""
    choice = divergence.choice
    if divergence.shape != "exit" or choice is None or choice.symbol is None:
        return False
    asked = set(symbols_in(choice.symbol))
    words = {word for word in choice.exits if word}
    mine = parted_by(choice)
    return any(
        isinstance(node, Choice)
        and not words.isdisjoint(node.exits)
        and not node.mask & choice.mask
        and not mine.isdisjoint(parted_by(node))
        and node.symbol is not None
        and not asked.isdisjoint(symbols_in(node.symbol))
        for node, _ in run.walk()
    )


def parted_by(choice: Choice) -> set[tuple[str, Place]]:
    """The branches of the same function that not all ranks take, and on a side of which this question stands."""
    here = (choice.decision.path, choice.decision.function)
    above = (one for one in decisions(choice.guards) if one.kind == "branch" and not one.exit_word)
    return {one.place for one in above if one.taken != one.before and (one.path, one.function) == here}


def nobody_started(divergence: Divergence) -> bool:
    """The first process ends before the trainer fits, which is when it would have started the others."""
    decision = divergence.decision
    return (
        divergence.shape == "exit"
        and divergence.event.op == "fit"
        and bool(divergence.absent & 1)
        and decision is not None
        and decision.exit_word == "exit"
    )


def before_spawn(run: Run, divergence: Divergence) -> bool:
    """Is this decided by the one process that starts the others?"""
    sites = run.facts.get(SITES, ())
    starts = [
        index for index, node in enumerate(divergence.path) if isinstance(node, Call) and (node.path, node.at) in sites
    ]
    outside = divergence.path[: starts[-1]] if starts else ()
    return any(node is divergence.choice or node is divergence.loop for node in outside)


def follows_set_up(divergence: Divergence, certain: list[Divergence]) -> bool:
    """Calls of a model that only some ranks wrapped, and all calls of those who alone have started the process group:
    reported where it was wrapped or started."""

    def set_up(one: Divergence) -> bool:
        of_model = one.event.op == "wrap" and divergence.event.op in ("forward", "backward")
        return of_model or (one.event.op == "init" and divergence.event is not one.event)

    parted = divergence.here, divergence.absent
    return any((one.here, one.absent) == parted and set_up(one) for one in certain)
