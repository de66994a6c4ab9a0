"""Which situations arise from branches: balanced, swapped, missing, two-sided, nested, uniform, unreached?"""

from __future__ import annotations

from bench.mbi.situation import Draw, Drawn, Shape
from bench.mbi.statements import Block, Body, Text, branch, marked

ORDER = ("DT104", "DT101")


def two_sided(draw: Draw, first: Body, second: Body) -> Body:
    here, there = draw.complement
    return (*branch(here, first), *draw.work, *branch(there, second))


def overlapping(draw: Draw) -> Body:
    return (*marked(branch("$rank != 0", draw.one)), *draw.work, *marked(branch("$rank < 2", draw.one)))


def nested(draw: Draw, inner_then: Body, inner_other: Body, outer: Body) -> Body:
    inner = "$rank < 2" if "% 2" in draw.condition else "$rank % 2 == 0"
    return draw.by_rank(branch(inner, inner_then, inner_other), outer)


def nested_bug(draw: Draw, inner_then: Body, inner_other: Body, outer: Body) -> Body:
    """The inner condition must split the ranks that the outer one lets through."""
    return marked(branch("$rank < 3", branch("$rank % 2 == 0", inner_then, inner_other), outer))


def matched(draw: Draw, then: Body, other: Body, bug: bool = False) -> Body:
    cases: Body = (Block("case 0:", then, bug), Block("case _:", other, bug))
    match: Body = (Block("match $rank:", cases, bug),)
    return marked(match) if bug else match


def dispatched(draw: Draw, wanted: str) -> Drawn:
    table = Text('actions = {"synchronise": synchronise, "announce": announce}')
    body = branch(draw.condition, (Text(f'actions["{wanted}"]($parameters)'),))
    bug = wanted == "synchronise"
    functions = (
        ("def synchronise($parameters):", marked(draw.calls(draw.first)) if bug else draw.calls(draw.first)),
        ("def announce($parameters):", draw.work),
    )
    return Drawn((table, *(marked(body) if bug else body)), functions)


def partial(draw: Draw, bug: bool) -> Drawn:
    prepared = Text("later = functools.partial(synchronise, $parameters)")
    call: Body = (Text("later()"),)
    body = marked(branch(draw.condition, call)) if bug else draw.by_rank((*draw.work, *call), call)
    calls = draw.calls(draw.first)
    return Drawn((prepared, *body), (("def synchronise($parameters):", marked(calls) if bug else calls),))


def nested_function(draw: Draw, bug: bool) -> Body:
    calls = draw.calls(draw.first)
    definition = Block("def finish():", marked(calls) if bug else calls)
    if bug:
        return (definition, *marked(branch(draw.condition, (Text("finish()"),))))
    return (definition, *draw.by_rank((*draw.work, Text("finish()")), (Text("finish()"),)))


def flag(draw: Draw, overridden: bool) -> Body:
    start: Body = (Text("chosen = False"), *branch(draw.condition, (Text("chosen = True"),)))
    if overridden:
        return (*start, Text("chosen = $world > 1"), *branch("chosen", draw.one))
    return (*marked(start), *marked(branch("chosen", draw.one)))


def main_only(draw: Draw, bug: bool) -> Drawn:
    rank = "jax.process_index()" if draw.framework.name == "jax" else "$dist.get_rank()"
    inner: Body = (
        Text("@functools.wraps(function)"),
        Block(
            "def wrapper(*arguments):",
            (Block(f"if {rank} == 0:", (Text("return function(*arguments)", bug),), bug), Text("return None")),
        ),
        Text("return wrapper"),
    )
    calls = draw.calls(draw.first)
    report = marked(calls) if bug else draw.work
    functions: tuple[tuple[str, Body], ...] = (
        ("def main_only(function):", inner),
        ("@main_only\ndef report($parameters):", report),
    )
    return Drawn((Text("report($parameters)", bug), *(() if bug else calls)), functions)


SHAPES = (
    Shape("balanced", True, lambda d: d.by_rank(d.both, d.both), 14),
    Shape("balanced_one", True, lambda d: d.by_rank((*d.work, *d.one), d.one), 10),
    Shape("swapped", False, lambda d: d.bug(d.both, d.swapped), 18, codes=ORDER),
    Shape("missing_last", False, lambda d: d.bug(d.both, d.one), 12),
    Shape("missing_first", False, lambda d: d.bug(d.both, d.other), 10),
    Shape("guarded", False, lambda d: d.bug(d.one), 14),
    Shape("guarded_else", False, lambda d: d.bug(d.work, d.one), 8),
    Shape("guarded_before_common", False, lambda d: (*d.bug(d.one), *d.other), 10),
    Shape("guarded_after_common", False, lambda d: (*d.other, *d.bug(d.one)), 8),
    Shape("guarded_several", False, lambda d: d.bug((*d.both, *d.one)), 6),
    Shape("different_calls", False, lambda d: d.bug(d.one, d.other), 12, codes=ORDER),
    Shape("balanced_then_guarded", False, lambda d: (*d.by_rank(d.one, d.one), *d.bug(d.other)), 6),
    Shape("sequence", True, lambda d: (*d.both, *d.guarded_work), 8),
    Shape("guarded_work_between", True, lambda d: (*d.one, *d.guarded_work, *d.other), 8),
    Shape("two_sided", True, lambda d: two_sided(d, d.one, d.one), 14),
    Shape("two_sided_pair", True, lambda d: two_sided(d, d.both, d.both), 6),
    Shape("two_sided_different", False, lambda d: marked(two_sided(d, d.one, d.other)), 8, codes=ORDER),
    Shape("two_sided_half", False, lambda d: marked(two_sided(d, d.one, d.work)), 6),
    Shape("two_sided_overlapping", False, overlapping, 5),
    Shape("nested_balanced", True, lambda d: nested(d, d.one, d.one, d.one), 8),
    Shape("nested_pair", True, lambda d: nested(d, d.both, d.both, d.both), 6),
    Shape("nested_swapped", False, lambda d: nested_bug(d, d.both, d.swapped, d.both), 6, codes=ORDER),
    Shape("nested_missing", False, lambda d: nested_bug(d, d.one, (), d.one), 6),
    Shape("uniform", True, lambda d: branch(d.uniform, d.both), 10),
    Shape("uniform_different", True, lambda d: branch(d.uniform, d.one, d.other), 8),
    Shape("uniform_inside", True, lambda d: d.by_rank(branch(d.uniform, d.one), branch(d.uniform, d.one)), 8),
    Shape("uniform_outside", True, lambda d: branch(d.uniform, d.by_rank(d.both, d.both), d.one), 6),
    Shape("uniform_inside_guard", False, lambda d: d.bug(branch(d.uniform, d.one)), 6),
    Shape("uniform_outside_guard", False, lambda d: branch(d.uniform, d.bug(d.one)), 6),
    Shape("uniform_inside_swapped", False, lambda d: d.bug(branch(d.uniform, d.both), d.swapped), 4, codes=ORDER),
    Shape("unreached_debug", True, lambda d: (*branch("DEBUG and $rank == 0", d.one), *d.other), 5),
    Shape("unreached_rank", True, lambda d: (*branch("$rank == -1", d.one), *d.other), 5),
    Shape("unreached_beyond", True, lambda d: (*branch("$rank >= $world", d.one), *d.other), 5),
    Shape("every_rank", True, lambda d: branch("$rank < $world", d.both), 5),
    Shape("match_balanced", True, lambda d: matched(d, d.both, d.both), 4),
    Shape("match_swapped", False, lambda d: matched(d, d.both, d.swapped, True), 4, codes=ORDER),
    Shape("match_guarded", False, lambda d: matched(d, d.one, d.work, True), 4),
    Shape("short_circuit", False, lambda d: (Text(f"{d.condition} and {d.framework.barrier}", True),), 3),
    Shape("short_circuit_uniform", True, lambda d: (Text(f"{d.uniform} and {d.framework.barrier}"),), 3),
    Shape(
        "conditional_expression",
        False,
        lambda d: (Text(f"{d.framework.barrier} if {d.condition} else None", True),),
        3,
    ),
    Shape(
        "conditional_expression_balanced",
        True,
        lambda d: (Text(f"{d.framework.barrier} if {d.condition} else {d.framework.barrier}"),),
        3,
    ),
    Shape("dispatch", False, lambda d: dispatched(d, "synchronise"), 4),
    Shape("dispatch_harmless", True, lambda d: dispatched(d, "announce"), 4),
    Shape("partial", False, lambda d: partial(d, True), 4),
    Shape("partial_balanced", True, lambda d: partial(d, False), 4),
    Shape("closure", False, lambda d: nested_function(d, True), 4),
    Shape("closure_balanced", True, lambda d: nested_function(d, False), 4),
    Shape("flag", False, lambda d: flag(d, False), 5),
    Shape("flag_overridden", True, lambda d: flag(d, True), 5),
    Shape("decorated", False, lambda d: main_only(d, True), 5, ("torch", "jax")),
    Shape("decorated_harmless", True, lambda d: main_only(d, False), 5, ("torch", "jax")),
)
