"""Is all that a key gives looked at by people: a score, a picture, a loss of the validation?

The same numbers for every batch of an evaluation, or for a picture and the last step of the training, hurt nobody. They
do where something learns of them, where they stay in a state, where the next turn goes on from them, and where all
turns come out as one.
"""

from __future__ import annotations

from itertools import pairwise

from dtlint.findings import Span
from dtlint.ir.fates import LASTS, LEARNED, Fate, Known, fate, gone_with_the_turn, kept_apart, only_answers
from dtlint.machine.core import CHANGED_NOTHING
from dtlint.machine.library.jax.facts import GRADIENT
from dtlint.machine.logs import Call, LogNode, Loop
from dtlint.machine.run import Run
from dtlint.timeline.arrays.lives import Again, Use, first_site, learns, site_below
from dtlint.timeline.records import calls_around, recorded

Sites = set[tuple[str, tuple[int, int]]]
BESIDE_THE_STATE = frozenset({1})  # of what a turn of a scan gives


def only_looked_at(run: Run, again: Again) -> bool:
    if not (learning_calls(run) or learned_elsewhere(run)):
        return False  # nobody learns: then what it draws is all it does
    second = outcome(run, again.second, again.site)
    if again.loop is not None:
        if again.loop.kind == "callback" and (again.first is not None or not is_scan(again.loop)):
            return False
        if again.first is not None:
            if outcome(run, again.first, again.site).lasts:
                return False
            return not learns(again.loop) or learned_of_the_other(run, again.first, again.second, again.loop)
        differ = is_scan(again.loop) or fate_of(run, again.site).turns_differ
        return differ and (not second.lasts or learned_for_the_turn(run, again))
    assert again.first is not None
    own = first_site(again.first, again)
    first = outcome(run, again.first, own)
    if first.lasts or second.lasts:
        # what is learned, and what it is tried on, are not to be the same
        return (
            not drawn_alike(run, again.first, again.second)
            and not (first.lasts and second.lasts)
            and (first.learned or second.learned)
        )
    one, other = ((site.line, site.column) for site in (own, again.site))
    tree, known = run.project.tree(own.path), known_of(run, own.path)
    return own.path == again.site.path and kept_apart(tree, one, other, known)


def learned_of_the_other(run: Run, first: Use, second: Use, loop: Loop) -> bool:
    """A picture after each step, by the key that the next one splits: is something else drawn there, to learn from?"""
    site = site_below(second, second.path.index(loop))[0]
    return not drawn_alike(run, first, second) and outcome(run, second, site).learned


def learned_for_the_turn(run: Run, again: Again) -> bool:
    """Something is fitted to each batch of a test, from the same start, and measured: nobody keeps what was learned."""
    site, path = again.site, again.second.path
    place, known = (site.line, site.column), known_of(run, site.path)
    if (site.path, place) not in harmless_calls(run) or not gone_with_the_turn(
        run.project.tree(site.path), place, known
    ):
        return False
    called = [node for node in path if isinstance(node, Call) and (node.path, node.at[:2]) == (site.path, place)]
    return any(called) and all(
        node.callee_at is not None
        and only_answers(run.project.tree(node.callee_path), node.callee_at[:2], known_of(run, node.callee_path))
        for node in called
    )


def is_scan(loop: LogNode) -> bool:
    """`scan(turn, state, rows)`: what a turn gives beside the state is kept for each turn."""
    return isinstance(loop, Loop) and loop.kind == "callback" and loop.decision.text == "scan"


def drawn_alike(run: Run, one: Use, other: Use) -> bool:
    """Are the same rows drawn of both: by one function, or by the same call of the library? Two splits that stand in
    different places are for different things, and what a loss draws for itself is noise."""
    here, there = one.event, other.event
    if here.extra["call"].name != there.extra["call"].name:
        return False
    if (here.path, here.at) == (there.path, there.at):
        return True
    return not here.extra["call"].row.extra.get("derives") and not (in_a_loss(run, one) or in_a_loss(run, other))


def in_a_loss(run: Run, use: Use) -> bool:
    """Is this drawn in what is differentiated?"""
    sites = differentiated(run)
    places = [(node.path, node.at[:2]) for node in calls_around(use.event, use.path)]
    return any(place in sites for place in (*places, (use.event.path, use.event.at[:2])))


def outcome(run: Run, use: Use, site: Span) -> Fate:
    """Followed outward as long as functions give back what was made of it: from the first call below where the key is
    held that learns nothing."""
    calls = calls_around(use.event, use.path)
    places = [Span(node.path, *node.at) for node in calls]
    places.append(Span(use.event.path, *use.event.at))
    start = places.index(site) if site in places else len(calls)
    learning = learning_calls(run)
    if in_a_loss(run, use):
        return LEARNED
    while start < len(calls) and (calls[start].path, calls[start].at[:2]) in learning:
        start += 1
    becomes = fate_of(run, places[start])
    scanned = {id(node) for above, node in pairwise(use.path) if is_scan(above)}
    for call in reversed(calls[:start]):
        if not becomes.given_back or becomes.lasts:
            return becomes
        if (call.path, call.at) == (call.callee_path, call.callee_at):
            return LASTS  # to whom it may concern
        if id(call) in scanned and becomes.given_back != BESIDE_THE_STATE:
            return LASTS  # the next turn goes on from it
        becomes = fate_of(run, Span(call.path, *call.at), becomes.given_back)
    return becomes if not becomes.given_back else LASTS


def fate_of(run: Run, site: Span, only_at: frozenset[int] = frozenset()) -> Fate:
    found: dict[tuple[Span, frozenset[int]], Fate] = run.cache.setdefault("fates", {})
    if (site, only_at) not in found:
        tree, known = run.project.tree(site.path), known_of(run, site.path)
        found[site, only_at] = fate(tree, (site.line, site.column), known, only_at)
    return found[site, only_at]


def known_of(run: Run, path: str) -> Known:
    nothing, learning = harmless_calls(run), learning_calls(run)
    return Known(
        run.knowledge.shows,
        lambda call: call.at is not None and (path, call.at[:2]) in nothing,
        lambda call: call.at is not None and (path, call.at[:2]) in learning,
    )


def harmless_calls(run: Run) -> Sites:
    """They change nothing, or tell a tracker."""
    known: Sites | None = run.cache.get("harmless calls")
    if known is None:
        known = run.cache["harmless calls"] = {(one, at[:2]) for one, at in run.facts.get(CHANGED_NOTHING, ())}
        known.update((event.path, event.at[:2]) for event, _ in recorded(run, "log", "progress"))
    return known


def differentiated(run: Run) -> Sites:
    known: Sites | None = run.cache.get("differentiated")
    if known is None:
        sloped = (event for event, _ in recorded(run, "<jax>") if event.op == GRADIENT)
        known = run.cache["differentiated"] = {(event.path, event.at[:2]) for event in sloped}
    return known


def learned_elsewhere(run: Run) -> bool:
    """Does it read weights from a checkpoint, to see what they do?"""
    return next(recorded(run, "load"), None) is not None


def learning_calls(run: Run) -> Sites:
    """The calls on the way to where something is differentiated."""
    known: Sites | None = run.cache.get("learning calls")
    if known is None:
        known = run.cache["learning calls"] = set()
        for event, path in recorded(run, "<jax>"):
            if event.op == GRADIENT:
                known.add((event.path, event.at[:2]))
                known.update((node.path, node.at[:2]) for node in path if isinstance(node, Call))
    return known
