"""Which situations arise from arguments, groups and values: roots, reductions, shapes, members, this rank's data?"""

from __future__ import annotations

from bench.mbi.situation import Draw, Shape
from bench.mbi.statements import Block, Body, Call, Text, branch, marked

TORCH = ("torch",)
ARGUMENT = ("DT107", "DT104")
GROUP = ("DT101", "DT104", "DT107", "DT109")


def rooted(draw: Draw, root: str, before: Body = (), bug: bool = False) -> Body:
    name = draw.random.choice(("broadcast", "reduce")) if draw.framework.name == "torch" else "broadcast"
    body = (*before, Call(name, root=root))
    return marked(body) if bug else body


def reduced(draw: Draw, first: str, second: str, bug: bool) -> Body:
    name = draw.random.choice(("all_reduce", "reduce"))
    sides = [Call(name, reduction=f"$dist.ReduceOp.{one}") for one in (first, second)]
    body = branch(draw.condition, (sides[0],), (sides[1],))
    return marked(body) if bug else body


def reduction_variable(draw: Draw, bug: bool) -> Body:
    other = "MAX" if bug else "SUM"
    choice = Text(f"operation = $dist.ReduceOp.SUM if {draw.condition} else $dist.ReduceOp.{other}")
    body: Body = (choice, Call("all_reduce", reduction="operation"))
    return marked(body) if bug else body


def sized(draw: Draw, size: str, bug: bool) -> Body:
    array = draw.framework.array
    lines = {
        "torch": "$dist.all_reduce(values)",
        "accelerate": "gathered = $acc.gather(values)",
        "jax": "gathered = multihost_utils.process_allgather(values)",
    }
    return (Text(f"values = {array}.ones({size})", bug), Text(lines[draw.framework.name], bug))


def sub_group(draw: Draw, guard: str, inside: Body, after: Body = (), bug: bool = False) -> Body:
    guarded = branch(guard, inside)
    return (Text("pair = $dist.new_group([0, 1])"), *(marked(guarded) if bug else guarded), *after)


def in_pair(draw: Draw, group: str = "pair", name: str = "") -> Body:
    return (Call(name or draw.random.choice(("all_reduce", "barrier")), group=group),)


def parity_groups(draw: Draw, even: Body, odd: Body, bug: bool = False) -> Body:
    made: Body = (Text("even = $dist.new_group([0, 2])"), Text("odd = $dist.new_group([1, 3])"))
    split = branch("$rank % 2 == 0", even, odd)
    return (*made, *(marked(split) if bug else split))


def members(draw: Draw) -> Body:
    """The usual way to keep one's own group: every rank creates all of them."""
    return (
        Text("mine = None"),
        Block(
            "for members in ([0, 1], [2, 3]):",
            (Text("group = $dist.new_group(members)"), *branch("$rank in members", (Text("mine = group"),))),
        ),
        Call("all_reduce", group="mine"),
        Call("barrier"),
    )


def partial_creation(draw: Draw) -> Body:
    """Groups are numbered by each rank for itself: whoever skips one meets the wrong group next time."""
    made: Body = (Text("pair = $dist.new_group([0, 1])"), Call("barrier", group="pair"))
    return (
        *marked(branch("$rank in (0, 1)", made)),
        Text("everybody = $dist.new_group([0, 1, 2, 3])", True),
        Call("barrier", group="everybody"),
    )


def local_data(draw: Draw, agreed: bool) -> Body:
    name = draw.framework.name
    array = draw.framework.array
    made = Text(f"local = {array}.ones(4) * $rank", not agreed)
    agree = {
        "torch": "$dist.all_reduce(local)",
        "accelerate": "local = $acc.gather(local)",
        "jax": "local = multihost_utils.process_allgather(local)",
    }
    decision = branch(f"{draw.framework.total} > 2.0", draw.one)
    if agreed:
        return (made, Text(agree[name]), *decision)
    return (made, *marked(decision))


def local_value(draw: Draw, text: str, bug: bool) -> Body:
    body: Body = (Text(f"count = {text}"), Block("for step in range(count):", draw.one))
    return marked(body) if bug else body


def renamed(draw: Draw, name: str, bug: bool) -> Body:
    return (Block("for step in range(2):", (Text(f"multihost_utils.sync_global_devices({name})", bug),), bug),)


def own_main_first(draw: Draw, inside: Body, bug: bool) -> Body:
    body: Body = (Block("with $acc.main_process_first():", inside),)
    return marked(body) if bug else body


SHAPES = (
    Shape(
        "root_rank",
        False,
        lambda d: rooted(d, "$rank", bug=True),
        6,
        ("torch", "accelerate"),
        ARGUMENT,
        kind="argument",
    ),
    Shape(
        "root_chosen",
        False,
        lambda d: rooted(d, "chosen", (Text("chosen = 0 if $rank < 2 else 1"),), True),
        5,
        ("torch", "accelerate"),
        ARGUMENT,
        kind="argument",
    ),
    Shape("root_last", True, lambda d: rooted(d, "$world - 1"), 6, ("torch", "accelerate")),
    Shape(
        "root_uniform",
        True,
        lambda d: rooted(d, "chosen", (Text(f"chosen = 1 if {d.uniform} else 0"),)),
        5,
        ("torch", "accelerate"),
    ),
    Shape(
        "root_every",
        True,
        lambda d: (Block("for turn in range($world):", rooted(d, "turn")),),
        5,
        ("torch", "accelerate"),
    ),
    Shape(
        "root_by_branch",
        False,
        lambda d: marked(branch(d.condition, rooted(d, "0"), (Call("broadcast", root="1"),))),
        5,
        TORCH,
        ARGUMENT,
        kind="argument",
    ),
    Shape("reduction_differs", False, lambda d: reduced(d, "SUM", "MAX", True), 8, TORCH, ARGUMENT, kind="argument"),
    Shape("reduction_same", True, lambda d: reduced(d, "MAX", "MAX", False), 8, TORCH),
    Shape("reduction_variable", False, lambda d: reduction_variable(d, True), 5, TORCH, ARGUMENT, kind="argument"),
    Shape("reduction_variable_same", True, lambda d: reduction_variable(d, False), 5, TORCH),
    Shape("shape_differs", False, lambda d: sized(d, "$rank + 1", True), 3, codes=ARGUMENT, kind="argument"),
    Shape("shape_same", True, lambda d: sized(d, "$world + 1", False), 3),
    Shape("group_members", True, lambda d: sub_group(d, "$rank in (0, 1)", in_pair(d), d.other), 8, TORCH),
    Shape("group_members_below", True, lambda d: sub_group(d, "$rank < 2", in_pair(d)), 5, TORCH),
    Shape("group_missing_member", False, lambda d: sub_group(d, "$rank == 0", in_pair(d), bug=True), 8, TORCH, GROUP),
    Shape(
        "group_missing_then_world",
        False,
        lambda d: sub_group(d, "$rank == 1", in_pair(d), d.other, True),
        6,
        TORCH,
        GROUP,
    ),
    Shape(
        "group_world_inside",
        False,
        lambda d: sub_group(d, "$rank in (0, 1)", (*in_pair(d), *d.one), bug=True),
        6,
        TORCH,
        GROUP,
    ),
    Shape("groups_by_parity", True, lambda d: parity_groups(d, in_pair(d, "even"), in_pair(d, "odd")), 8, TORCH),
    Shape(
        "groups_different_calls",
        True,
        lambda d: parity_groups(d, in_pair(d, "even", "all_reduce"), in_pair(d, "odd", "barrier")),
        5,
        TORCH,
    ),
    Shape(
        "groups_then_world_half",
        False,
        lambda d: parity_groups(d, (*in_pair(d, "even"), *d.one), in_pair(d, "odd"), True),
        6,
        TORCH,
        GROUP,
    ),
    Shape(
        "groups_crossed",
        False,
        lambda d: sub_group(
            d,
            "$rank == 0",
            (*in_pair(d, name="barrier"), Call("barrier")),
            marked(
                (
                    *branch("$rank == 1", (Call("barrier"), Call("barrier", group="pair"))),
                    *branch("$rank > 1", (Call("barrier"),)),
                )
            ),
            True,
        ),
        4,
        TORCH,
        GROUP,
    ),
    Shape(
        "groups_in_order",
        True,
        lambda d: sub_group(
            d,
            "$rank == 0",
            (*in_pair(d, name="barrier"), Call("barrier")),
            (
                *branch("$rank == 1", (Call("barrier", group="pair"), Call("barrier"))),
                *branch("$rank > 1", (Call("barrier"),)),
            ),
        ),
        4,
        TORCH,
    ),
    Shape("groups_of_all", True, members, 3, TORCH),
    Shape("group_created_by_some", False, partial_creation, 3, TORCH, GROUP),
    Shape("local_data", False, lambda d: local_data(d, False), 5, codes=("DT110", "DT101", "DT111")),
    Shape("local_data_agreed", True, lambda d: local_data(d, True), 5),
    Shape("value_equal_on_all", True, lambda d: local_value(d, "2 if $rank == 0 else 2", False), 4),
    Shape(
        "value_differs",
        False,
        lambda d: local_value(d, "2 if $rank == 0 else 1", True),
        4,
        codes=("DT103", "DT101", "DT102"),
    ),
    Shape("value_by_world", True, lambda d: local_value(d, "max(1, $world // 2)", False), 4),
    Shape(
        "name_by_rank", False, lambda d: renamed(d, 'f"phase {$rank}"', True), 4, ("jax",), ARGUMENT, kind="argument"
    ),
    Shape("name_by_step", True, lambda d: renamed(d, 'f"phase {step}"', False), 4, ("jax",)),
    Shape(
        "source_flag",
        True,
        lambda d: (Text("shared = multihost_utils.broadcast_one_to_all($tensor, is_source=$rank == 0)"), *d.other),
        4,
        ("jax",),
    ),
    Shape("own_main_first", True, lambda d: own_main_first(d, d.work, False), 5, ("accelerate",)),
    Shape(
        "own_main_first_inside",
        False,
        lambda d: own_main_first(d, (Call("gather"),), True),
        5,
        ("accelerate",),
        ("DT101", "DT104", "DT108"),
    ),
)
