"""Which situations arise from leaving early, from loops, from exceptions and from generators?"""

from __future__ import annotations

from bench.mbi.situation import Draw, Drawn, Shape
from bench.mbi.statements import Block, Body, Text, branch, marked

EXIT = ("DT102", "DT101", "DT103", "DT104")
TURNS = ("DT103", "DT102", "DT101", "DT104")
HANDLER = ("DT105", "DT106", "DT101", "DT102", "DT104", "DT110")


def leave(draw: Draw, how: str, before: Body, after: Body, bug: bool) -> Body:
    body = (*branch(draw.condition, (*before, Text(how))), *after)
    return marked(body) if bug else body


def loop(header: str, body: Body, bug: bool = False) -> Body:
    result: Body = (Block(header, body),)
    return marked(result) if bug else result


def counted_while(draw: Draw, start: str, bug: bool) -> Body:
    body: Body = (Text(f"step = {start}"), Block("while step < 4:", (*draw.one, Text("step += 1"))))
    return marked(body) if bug else body


def broken(draw: Draw, condition: str, how: str, bug: bool) -> Body:
    return loop("for step in range(4):", (*branch(condition, (Text(how),)), *draw.one), bug)


def generated(draw: Draw, count: str, bug: bool) -> Drawn:
    steps: Body = (Block("for index in range(count):", (Text("yield index"),)),)
    body = loop(f"for step in steps({count}):", (Text('print("step", step)'), *draw.one), bug)
    return Drawn(body, (("def steps(count):", steps),))


def recursive(draw: Draw, count: str, bug: bool) -> Drawn:
    calls = draw.calls(draw.first)
    descent: Body = branch("count > 0", (*calls, Text("descend(count - 1, $parameters)")))
    functions = (("def descend(count, $parameters):", marked(descent) if bug else descent),)
    return Drawn((Text(f"descend({count}, $parameters)", bug),), functions)


def skipped_by_failure(draw: Draw) -> Body:
    guarded = branch(draw.condition, (Text('raise ValueError("no data")'),))
    return marked((Block("try:", (*guarded, *draw.one)), Block("except ValueError:", (Text('print("skipped")'),))))


def in_handler(draw: Draw) -> Body:
    guarded = branch(draw.condition, (Text('raise ValueError("no data")'),))
    return marked((Block("try:", guarded), Block("except ValueError:", draw.one)))


def handled_locally(draw: Draw) -> Body:
    guarded = branch(draw.condition, (Text('raise ValueError("no data")'),))
    return (Block("try:", guarded), Block("except ValueError:", (Text('print("using defaults")'),)), *draw.both)


def in_finally(draw: Draw) -> Body:
    return (Block("try:", (*draw.guarded_work, *draw.one)), Block("finally:", draw.other))


def finally_meets(draw: Draw) -> Body:
    """The failing ranks skip the first collective but make the one in `finally`."""
    guarded = branch(draw.condition, (Text('raise ValueError("no data")'),))
    inner: Body = (Block("try:", (*guarded, *draw.one)), Block("finally:", draw.other))
    return marked((Block("try:", inner), Block("except ValueError:", (Text('print("skipped")'),))))


def suppressed(draw: Draw) -> Body:
    guarded = branch(draw.condition, (Text('raise ValueError("no data")'),))
    return marked((Block("with contextlib.suppress(ValueError):", (*guarded, *draw.one)),))


def raised_by_all(draw: Draw) -> Body:
    raised = branch(draw.uniform, (Text('raise ValueError("no cache")'),))
    return (Block("try:", raised), Block("except ValueError:", draw.one))


def main_first(draw: Draw, halves: str, inside: Body = (), bug: bool = False) -> Drawn:
    name = draw.framework.calls[0]
    first = branch("$rank != 0", draw.calls(name))
    second = branch("$rank == 0", draw.calls(name)) if halves == "both" else ()
    generator: Body = (*first, Text("yield"), *second)
    work = inside or (Text('print("preparing")'),)
    body: Body = (Block("with main_first($parameters):", work),)
    header = "@contextlib.contextmanager\ndef main_first($parameters):"
    if bug:
        return Drawn(marked(body), ((header, marked(generator)),))
    return Drawn(body, ((header, generator),))


SHAPES = (
    Shape("return_balanced", True, lambda d: leave(d, "return", d.both, d.both, False), 10, in_function=True),
    Shape("return_early", False, lambda d: leave(d, "return", (), d.one, True), 12, codes=EXIT, in_function=True),
    Shape(
        "return_after_work", False, lambda d: leave(d, "return", d.work, d.both, True), 8, codes=EXIT, in_function=True
    ),
    Shape(
        "return_between",
        False,
        lambda d: (*d.one, *leave(d, "return", (), d.other, True)),
        8,
        codes=EXIT,
        in_function=True,
    ),
    Shape(
        "return_swapped", False, lambda d: leave(d, "return", d.both, d.swapped, True), 5, codes=EXIT, in_function=True
    ),
    Shape("return_at_the_end", True, lambda d: (*d.both, *leave(d, "return", (), d.work, False)), 8, in_function=True),
    Shape(
        "return_uniform",
        True,
        lambda d: (*branch(f"not ({d.uniform})", (Text("return"),)), *d.both),
        6,
        in_function=True,
    ),
    Shape("exit_early", False, lambda d: leave(d, "sys.exit(0)", (), d.one, True), 6, codes=EXIT),
    Shape("raise_early", False, lambda d: leave(d, 'raise RuntimeError("bad shard")', (), d.one, True), 5, codes=EXIT),
    Shape("loop_same_count", True, lambda d: loop("for step in range(3):", (*d.both, *d.guarded_work)), 8),
    Shape("loop_balanced", True, lambda d: loop("for step in range(3):", d.by_rank(d.both, d.both)), 8),
    Shape("loop_uniform_step", True, lambda d: loop("for step in range(4):", branch("step % 2 == 0", d.one)), 6),
    Shape(
        "loop_over_world",
        True,
        lambda d: loop("for turn in range($world):", (*branch("turn == $rank", d.work), *d.one)),
        6,
    ),
    Shape("loop_swapped", False, lambda d: loop("for step in range(3):", d.bug(d.both, d.swapped)), 6, codes=TURNS),
    Shape("loop_guarded", False, lambda d: loop("for step in range(3):", d.bug(d.one)), 6),
    Shape("loop_rank_count", False, lambda d: loop("for step in range($rank + 1):", d.one, True), 8, codes=TURNS),
    Shape(
        "loop_shard",
        False,
        lambda d: (Text("shard = list(range(10))[$rank::$world]", True), *loop("for item in shard:", d.one, True)),
        5,
        codes=TURNS,
    ),
    Shape("loop_even_share", True, lambda d: loop("for item in range(12 // $world):", d.both), 5),
    Shape(
        "loop_share_count",
        False,
        lambda d: (Text("share = 3 if $rank == 0 else 2", True), *loop("for item in range(share):", d.one, True)),
        5,
        codes=TURNS,
    ),
    Shape(
        "loop_turn_order",
        False,
        lambda d: loop("for turn in range($world):", (*branch("turn == $rank", d.one), *d.other), True),
        4,
        codes=TURNS,
    ),
    Shape("while_same_count", True, lambda d: counted_while(d, "0", False), 6),
    Shape("while_rank_start", False, lambda d: counted_while(d, "$rank", True), 6, codes=TURNS),
    Shape("break_by_rank", False, lambda d: broken(d, "$rank == 0 and step == 2", "break", True), 6, codes=TURNS),
    Shape("break_by_all", True, lambda d: broken(d, "step == 2", "break", False), 5),
    Shape("continue_by_rank", False, lambda d: broken(d, d.condition, "continue", True), 6, codes=TURNS),
    Shape("continue_by_all", True, lambda d: broken(d, "step % 2 == 1", "continue", False), 5),
    Shape(
        "comprehension",
        True,
        lambda d: (Text(f"done = [{d.framework.barrier} for _ in range(3)]"), Text("print(len(done))")),
        3,
    ),
    Shape(
        "comprehension_rank_count",
        False,
        lambda d: (Text(f"done = [{d.framework.barrier} for _ in range($rank)]", True), Text("print(len(done))")),
        3,
        codes=TURNS,
    ),
    Shape("generator", True, lambda d: generated(d, "3", False), 4),
    Shape("generator_rank_count", False, lambda d: generated(d, "$rank + 1", True), 4, codes=TURNS),
    Shape("recursion", True, lambda d: recursive(d, "2", False), 4),
    Shape("recursion_rank_count", False, lambda d: recursive(d, "$rank", True), 4, codes=TURNS),
    Shape("failure_skips", False, skipped_by_failure, 6, codes=HANDLER),
    Shape("collective_in_handler", False, in_handler, 6, codes=HANDLER),
    Shape("failure_suppressed", False, suppressed, 4, codes=HANDLER),
    Shape("failure_handled_locally", True, handled_locally, 6),
    Shape("finally_by_all", True, in_finally, 6),
    Shape("finally_meets_other", False, finally_meets, 4, codes=HANDLER),
    Shape("handler_by_all", True, raised_by_all, 4),
    Shape("main_first", True, lambda d: main_first(d, "both"), 5),
    Shape("main_first_half", False, lambda d: main_first(d, "one", bug=True), 4),
    Shape(
        "main_first_inside",
        False,
        lambda d: main_first(d, "both", d.calls(d.framework.calls[1]), True),
        4,
        codes=("DT101", "DT104"),
    ),
)
