"""Whose batch size did a loader get: one rank's, everybody's, or a share of a share?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dtlint.findings import Step
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.feeding import sharding
from dtlint.machine.library.feeding.batches import (
    OF_ONE,
    SET_FOR_ONE,
    TOTALS,
    Share,
    Total,
    history,
    is_part_name,
    is_share_of_one,
    is_whole_name,
    names_a_batch,
    same_number,
    says_whole,
)
from dtlint.machine.library.feeding.loader_options import option
from dtlint.machine.library.feeding.streams import CUT
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.meeting import evidence
from dtlint.machine.library.meeting.origins import spawns
from dtlint.machine.logs import Call, Site
from dtlint.machine.run import Run
from dtlint.machine.values import BY_SHARE, Const, Object, Symbol, Unknown, Value
from dtlint.timeline.order import choices_below
from dtlint.timeline.samples.uneven import divided_between_devices
from dtlint.timeline.steps.training import Path, Use, place_of, step_at, survey
from dtlint.timeline.steps.windows import Window, windows
from dtlint.timeline.symbols import moduli

Steps = tuple[Step, ...]
WHERE = {
    "world": "the number of ranks",
    "local": "the devices of this node",
    "nodes": "the number of nodes",
    "group": "the size of the group",
}


@dataclass(frozen=True, slots=True)
class Mistake:
    place: Site
    steps: Steps
    text: str
    remedy: str


def batch_mistakes(run: Run) -> Iterator[Mistake]:
    shares: list[Share] = run.facts.get("shares", [])
    yield from for_other_devices(run, shares)
    if not evidence.distributed(run, "strong"):
        return
    done: set[int] = set()
    for use in survey(run).training():
        loader = use.loader
        size = option(loader, "batch_size")
        if size is None or loader.number in done:
            continue
        if loader.facts.get("prepared"):
            done.add(loader.number)
            found = mistake_in_prepared(run, shares, size, loader)
            if found is not None:
                yield found
            if loader.facts.get("whole batches") is False:  # each rank takes batches of this size
                yield from accumulation(run, shares, size, use)
            continue
        if use.described.gives != "differs":
            continue
        done.add(loader.number)
        found = mistake_in(run, shares, size, loader, use)
        if found is not None:
            yield found
        yield from accumulation(run, shares, size, use)
    yield from handed_over(run, shares, done)
    yield from pipelines(run, shares)
    yield from micro_steps(run, shares)
    yield from micro_steps_of_one(run, shares)
    yield from of_one_host(run, shares)
    yield from for_hosts_elsewhere(run, shares)


def place_in(share: Share) -> Site:
    return (share.path, share.at, share.scope)


def handed_over(run: Run, shares: list[Share], done: set[int]) -> Iterator[Mistake]:
    """Loaders of a trainer that owns the loop, and knows on how many nodes."""
    for event, _ in (*survey(run).of("hand-over"), *survey(run).of("prepare")):
        loader = event.subject
        if not isinstance(loader, Object) or loader.number in done or not on_several_nodes(event.extra.get("owner")):
            continue
        done.add(loader.number)
        given = step_at(place_of(loader), "every rank's loader takes batches of this size")
        found = divided_by_one_node(run, list(history(shares, option(loader, "batch_size"))), given)
        if found is not None:
            yield found


def on_several_nodes(owner: Value | None) -> bool:
    made = owner.facts.get("call") if isinstance(owner, Object) else None
    nodes = made.get("num_nodes") if isinstance(made, Invocation) else None
    return nodes is not None and nodes != Const(1)


def divided_by_one_node(run: Run, chain: list[Share], given: Step) -> Mistake | None:
    divided = [share for share in chain if share.op in ("/", "//") and share.by]
    grown = any(share.op == "*" and share.by for share in chain)
    if len(divided) != 1 or grown or divided[0].by != "local" or spawns(run):
        return None
    if not of_all(run, divided[0]):
        return None
    text = f"`{divided[0].text}` is divided by the devices of this node, but every rank of every node takes that much"
    remedy = "divide by the number of ranks: `dist.get_world_size()`"
    return Mistake(place_in(divided[0]), (given,), text, remedy)


def mistake_in(run: Run, shares: list[Share], size: Value, loader: Object, use: Use) -> Mistake | None:
    chain = list(history(shares, size))
    divided = [share for share in chain if share.op in ("/", "//") and share.by]
    grown = [share for share in chain if share.op == "*" and share.by]
    given = step_at(place_of(loader), "every rank's loader takes batches of this size")
    twice = divided_twice(chain, given)
    if twice is not None:
        return twice
    of_node = divided_by_one_node(run, chain, given)
    if of_node is not None:
        return of_node
    if (
        grown
        and not divided
        and grown[0].by in ("world", "local")
        and use.reduced is not None
        and not is_whole_text(grown[0].text)
    ):
        share = grown[0]
        text = f"`{share.text}` is multiplied by {WHERE[share.by]}, and then every rank takes that much"
        return Mistake(place_in(share), (given,), text, "give each rank's loader the batch size of one rank")
    if not chain and whole_option(run, loader, size) and not cut_later(loader):
        text = (
            "the global batch size is given to the loader of every rank, so the real one is as many times larger "
            "as there are ranks"
        )
        return Mistake(place_of(loader), (given,), text, "divide it: `batch_size=global_batch_size // world_size`")
    return None


def divided_twice(chain: list[Share], given: Step) -> Mistake | None:
    divided = [share for share in chain if share.op in ("/", "//") and share.by]
    if len(divided) < 2 or any(share.op == "*" and share.by for share in chain):
        return None
    if {share.by for share in divided} in ({"local", "nodes"}, {"group", "world"}, {"group"}):
        return None
    first, again = divided[-1], divided[0]
    text = f"the batch size is divided twice: by {WHERE[first.by]} here, and by {WHERE[again.by]} again"
    steps = (step_at(place_in(again), f"`{again.text} {again.op} {again.spelled}` divides it again"), given)
    return Mistake(place_in(first), steps, text, "divide the global batch size by the number of ranks once")


def mistake_in_prepared(run: Run, shares: list[Share], size: Value, loader: Object) -> Mistake | None:
    """A framework takes the loader over. Each rank gets batches of its size, or cuts of them."""
    cuts = loader.facts.get("whole batches")
    chain = list(history(shares, size))
    given = step_at(place_of(loader.facts["original"]), "the loader that the framework divides")
    if cuts and chain and chain[0].op in ("/", "//") and chain[0].by == "world":
        share = chain[0]
        text = f"`{share.text}` is divided by the number of ranks here, and `split_batches=True` divides it again"
        remedy = "give the loader the global batch size, or leave out `split_batches=True`"
        return Mistake(place_in(share), (given,), text, remedy)
    if cuts is False and not chain and whole_option(run, loader, size):
        text = (
            "the global batch size is given to the loader of every rank, so the real one is as many times larger "
            "as there are ranks"
        )
        remedy = "divide it by `accelerator.num_processes`, or pass `split_batches=True`"
        return Mistake(place_of(loader.facts["original"]), (given,), text, remedy)
    if cuts is False and [share.by for share in chain if share.by] == ["world"] and chain[0].op == "*":
        share = chain[0]
        text = f"`{share.text}` is multiplied by the number of ranks, and then every rank takes that much"
        remedy = "give the loader the batch size of one rank, or pass `split_batches=True`"
        return Mistake(place_in(share), (given,), text, remedy)
    return None


def of_all(run: Run, share: Share) -> bool:
    """Is it a number of all ranks together that is divided or multiplied here?"""
    return is_whole_text(share.text) or is_whole(run, share.left)


def is_whole_text(text: str) -> bool:
    return is_whole_name(text.rpartition(".")[2])


def is_whole(run: Run, value: Value) -> bool:
    if isinstance(value, Unknown):
        key = value.symbol.key
        return key[0] == "attr" and len(key) > 2 and isinstance(key[2], str) and is_whole_name(key[2])
    known, of_one = run.facts.get("whole", {}), run.facts.get(SET_FOR_ONE, {})
    return isinstance(value, Const) and id(value) in known and id(value) not in of_one


def whole_option(run: Run, loader: Object, size: Value) -> bool:
    call = loader.facts.get("call")
    written = call.expression("batch_size") if call is not None else None
    return is_whole(run, size) or (written is not None and says_whole(written) and not named_anew(size))


def named_anew(size: Value) -> bool:
    """`effective_batch_size = min(options.batch_size, len(data))`: it is what the option counts, under another name."""
    made = list(symbols_in(size.symbol)) if isinstance(size, Unknown) and size.symbol.key[0] != "attr" else []
    counts = [one.key[2] for one in made if one.key[0] == "attr" and names_a_batch(str(one.key[2]), ("batch",))]
    return bool(counts) and not any(one.key[0] == "op *" for one in made) and not any(map(is_whole_name, counts))


def cut_later(loader: Object) -> bool:
    """Does what makes a batch know its rank? Then it may take this rank's part out of one that all ranks read."""
    collate = option(loader, "collate_fn")
    return collate is not None and provenance.cause_of(collate, BY_SHARE) is not None


def accumulation(run: Run, shares: list[Share], size: Value, use: Use) -> Iterator[Mistake]:
    """`steps = global // micro` without the ranks, where micro is what each rank's loader takes."""
    given = step_at(place_of(use.loader), "every rank's loader takes batches of this size")
    for share in shares:
        if share.op not in ("/", "//") or share.by or not of_all(run, share):
            continue
        if any(one.by for one in history(shares, share.left)):
            continue  # that of one rank already
        grown = list(history(shares, share.right))
        if len(grown) == 1 and grown[0].op == "*" and grown[0].by == "local" and not spawns(run):
            if grown[0].left is size or same_number(grown[0].left, size):
                divides = step_at(place_in(share), f"`{share.text}` is divided by it")
                yield of_one_node(grown[0], divides, given)
            continue
        if not (share.right is size or same_number(share.right, size)):
            continue
        if any((other.by and same_number(other.left, share.result)) or other.left is share.result for other in shares):
            continue
        yield Mistake(place_in(share), (given,), left_out(share), f"divide by `{share.spelled} * world_size`")


def of_one_node(grown: Share, *steps: Step) -> Mistake:
    text = f"`{grown.text}` is multiplied by the devices of this node, though all nodes step together"
    return Mistake(place_in(grown), steps, text, "multiply by the number of ranks: `dist.get_world_size()`")


def steps_for_one(run: Run, shares: list[Share], part: Value, steps: Value, given: Step) -> Mistake | None:
    """Are these accumulation steps a batch of all ranks, divided by the batch of one and by nothing else?"""
    chain = list(history(shares, steps))
    if len(chain) != 1 or chain[0].op == "*" or chain[0].by or not of_all(run, chain[0]):
        return None
    share = chain[0]
    if not (share.right is part or same_number(share.right, part)) or any(one.by for one in history(shares, part)):
        return None
    return Mistake(place_in(share), (given,), left_out(share), f"divide by `{share.spelled} * world_size`")


def micro_steps(run: Run, shares: list[Share]) -> Iterator[Mistake]:
    """`for micro in range(accumulate // device_count)`: the other nodes' ranks do the same number of steps again."""
    if not any(share.by == "local" for share in shares) or spawns(run):
        return
    for window in windows(run):
        counted = window.walked
        if not isinstance(counted, Object) or counted.kind != "builtins.range":
            continue
        sized = [share for share in history(shares, counted.attributes.get("stop")) if share.by]
        if len(sized) == 1 and sized[0].by == "local" and sized[0].op in ("/", "//"):
            share = sized[0]
            text = (
                f"`{share.text}` is divided by the devices of this node, but the gradients of all ranks of all nodes "
                "are added up"
            )
            event = window.backward.event
            given = step_at((event.path, event.at, event.function), "this often before one step of the optimizer")
            yield Mistake(place_in(share), (given,), text, "divide by the number of ranks: `dist.get_world_size()`")


def micro_steps_of_one(run: Run, shares: list[Share]) -> Iterator[Mistake]:
    """`for micro in range(total // taken)`, where the program has asked for a multiple of `taken * world`, or says that
    the one is of all ranks and the other of one."""
    done: set[Site] = set()
    for window in windows(run) if shares and not survey(run).of("model-parallel") else ():
        if any(choice.cause is not None for choice, _ in choices_below(window.backward, window.loop)):
            continue  # a rank may do its part of the steps only
        for count in counted(window):
            chain = list(history(shares, count))
            if not chain or chain[0].op == "*" or any(share.by for share in chain) or place_in(chain[0]) in done:
                continue
            share = chain[0]
            says = said_of_all(run, share) or spelled_of_all(run, shares, share)
            if says is None:
                continue
            done.add(place_in(share))
            event = window.backward.event
            given = step_at((event.path, event.at, event.function), "this often before one step of the optimizer")
            yield Mistake(place_in(share), (*says, given), left_out(share), f"divide by `{share.spelled} * world_size`")


def said_of_all(run: Run, share: Share) -> Steps | None:
    """Does the program ask for a multiple of what all ranks take at once?"""
    totals: list[Total] = run.facts.get(TOTALS, [])
    total = next((one for one in totals if same_number(one.number, share.left)), None)
    if total is None or not is_share_of_one(share.right, total, run.world.size):
        return None
    return (step_at((total.path, total.at, total.scope), "asked here for what all ranks take at once"),)


def spelled_of_all(run: Run, shares: list[Share], share: Share) -> Steps | None:
    """`global_batch // micro_batch`, `total_batch // (micro_batch * length)`, by the names of both, where
    neither is divided between the ranks elsewhere."""
    name = share.spelled.rpartition(".")[2]
    of_one = (name.isidentifier() and is_part_name(name)) or id(share.right) in run.facts.get(OF_ONE, ())
    if not is_whole_text(share.text) or not of_one:
        return None
    if any(one.by for one in history(shares, share.right)):
        return None  # what all of them take at once
    used = (share.left, share.right, share.result)
    if any(one.by and any(same_number(one.left, number) for number in used) for one in shares):
        return None
    return ()


def counted(window: Window) -> Iterator[Value]:
    """How many passes make one step."""
    if not window.nested:
        yield from (Unknown(part) for symbol, _ in window.when for part in moduli(symbol) if isinstance(part, Symbol))
        return
    turns = window.walked
    bounds = turns.attributes if isinstance(turns, Object) else {}
    if (bounds.get("start"), bounds.get("step")) == (Const(0), Const(1)):
        yield bounds["stop"]


def left_out(share: Share) -> str:
    part = share.spelled if " " not in share.spelled else f"({share.spelled})"
    return (
        f"`{share.text} {share.op} {part}` leaves out the number of ranks: each of them takes `{share.spelled}` at once"
    )


def for_other_devices(run: Run, shares: list[Share]) -> Iterator[Mistake]:
    """`per_device * (devices - 1)`: a batch that need not be a multiple of the devices it is divided between."""
    off: list[tuple[Value, str]] = run.facts.get("off by", [])
    for event, loader in divided_between_devices(run) if off else ():
        share = next((one for one in history(shares, option(loader, "batch_size")) if one.op == "*"), None)
        if share is None:
            continue
        by = next((text for result, text in off if share.right is result), None)
        if by is None or event.extra.get("parts") == token(share.right):
            continue  # it is divided between just as many
        text = (
            f"`{share.text}` times `{share.spelled}` is no multiple of the number of devices, but divided between them"
        )
        divided = step_at((event.path, event.at, event.function), "the batch is divided between all devices here")
        remedy = f"take all devices: leave out `{by}`"
        yield Mistake(place_in(share), (step_at(place_of(loader), "batches of this size"), divided), text, remedy)


def pipelines(run: Run, shares: list[Share]) -> Iterator[Mistake]:
    """`dataset.batch(n)` on a host's part of the data."""
    for event, path in survey(run).of("batch"):
        call = event.extra["call"]
        size = call.arguments[0] if call.arguments else None
        if size is None or not isinstance(event.subject, Object):
            continue
        if not sharding.shards_of(event.subject) and sharding.is_part(event.subject) is None:
            continue
        batched = step_at((event.path, event.at, event.function), "each host's part is cut into batches of this size")
        chain = list(history(shares, size))
        twice = divided_twice(chain, batched)
        if twice is not None and len({share.by for share in chain if share.by}) == 1:
            yield twice  # dividing by the hosts and then by their devices is right
        if len(chain) == 1 and chain[0].op != "*" and chain[0].by == "local" and of_all(run, chain[0]):
            text = f"`{chain[0].text}` is divided by the devices of this host, but the hosts share it between them"
            remedy = "divide by the number of hosts: `jax.process_count()`"
            yield Mistake(place_in(chain[0]), (batched,), text, remedy)
        if chain or not is_whole(run, size):
            continue
        held = run.facts.get("whole", {}).get(id(size))
        place = given_at(path, held[1]) if held is not None else None
        text = (
            "the global batch size is used for the part of one host, so the real one is as many times larger as "
            "there are hosts"
        )
        where = place or (event.path, event.at, event.function)
        yield Mistake(where, (batched,), text, "divide it: `global_batch_size // jax.process_count()`")


def of_one_host(run: Run, shares: list[Share]) -> Iterator[Mistake]:
    """`global_batch // local_device_count()`: the devices of the other hosts take that much as well."""
    learns = survey(run).gradients if run.facts.get("jax hosts") else []
    for event, loader in divided_between_devices(run) if learns else ():
        cut = loader.facts.get(CUT)
        size = cut.arguments[0] if cut is not None and cut.arguments else option(loader, "batch_size")
        chain = list(history(shares, size))
        if of_one_device(run, chain):
            yield of_a_device(chain[0], Step.of(event, "the batch is divided between this host's devices here"))
    for share in shares if learns else ():
        if share.op == "*" or share.by != "local":
            continue
        chain = list(history(shares, share.left))
        if of_one_device(run, chain):
            divided = step_at(place_in(share), f"`{share.text} {share.op} {share.spelled}` divides it again")
            yield of_a_device(chain[0], divided)
        if not of_all(run, share):
            continue
        others = [*history(shares, share.left), *(one for one in shares if same_number(one.left, share.result))]
        if any(one.by and one.op != "*" for one in others):
            continue  # a share of one host's part
        text = f"`{share.text}` is divided by the devices of this host, but those of all hosts take that much each"
        combined = learns[0]
        step = step_at((combined.path, combined.at, combined.function), "the gradients of all hosts are combined here")
        yield Mistake(place_in(share), (step,), text, "divide by the devices of all hosts: `jax.device_count()`")


def for_hosts_elsewhere(run: Run, shares: list[Share]) -> Iterator[Mistake]:
    """`count // local_device_count()` of what `count // process_count()` says elsewhere is of all hosts together."""
    divided = [share for share in shares if share.op != "*"] if run.facts.get("jax hosts") else []
    for share in divided:
        between = next((one for one in divided if one.by == "world" and same_number(one.left, share.left)), None)
        if share.by != "local" or between is None or of_all(run, share):
            continue
        if any(one.by and same_number(one.left, share.result) for one in divided):
            continue
        text = f"`{share.text}` is divided by the devices of this host, but all hosts have that much together"
        told = step_at(place_in(between), f"`{between.text} {between.op} {between.spelled}` divides it between them")
        yield Mistake(place_in(share), (told,), text, "divide by the devices of all hosts: `jax.device_count()`")


def of_one_device(run: Run, chain: list[Share]) -> bool:
    """Is it what each of all devices takes of a batch for all? The number of hosts is a size of the world as well."""
    if len(chain) != 1 or chain[0].op == "*" or not of_all(run, chain[0]):
        return False
    return any(chain[0].right is counted for counted in run.facts.get(jax_facts.ALL_DEVICES, ()))


def of_a_device(share: Share, again: Step) -> Mistake:
    """`global_batch // device_count()` is what one device takes; a host that divides it between its devices takes it
    for its own."""
    text = f"`{share.text}` is divided by the devices of all hosts, and then this host divides that between its own"
    return Mistake(place_in(share), (again,), text, "divide by the number of hosts: `jax.process_count()`")


def given_at(path: Path, named: Site) -> Site | None:
    """The call by which the number leaves the function that named it."""
    for node in path:
        if isinstance(node, Call) and node.path == named[0] and node.caller == named[2]:
            return (node.path, node.at, node.caller)
    return None
