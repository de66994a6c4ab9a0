"""How does a sampler divide the data set between ranks?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.names import classes
from dtlint.machine.values import NONE, TRUE, ClassRef, Const, FunctionRef, Object, Unknown, Value

if TYPE_CHECKING:
    from dtlint.machine.library.feeding.inside import Inside

DISTRIBUTED = "torch.utils.data.DistributedSampler"
OF_BATCHES = "torch.utils.data.BatchSampler"
ORDERS = ("torch.utils.data.RandomSampler", "torch.utils.data.SequentialSampler")  # all of the data


def is_distributed(machine: Machine, value: Value | None) -> bool:
    """torch's DistributedSampler, one of its kind in another library, or a project class derived from one."""
    if not isinstance(value, Object):
        return False
    if classes.is_a(machine, value, DISTRIBUTED):
        return True
    kinds = [value.kind] if isinstance(value.kind, str) else classes.external_bases(machine, value.kind)
    return any(kind.rpartition(".")[2] in ("DistributedSampler", "StatefulDistributedSampler") for kind in kinds)


def takes_alike(value: Value | None) -> bool:
    """`DistributedSampler(data, num_replicas=1, rank=0)`: told a number that is written down, it gives every rank the
    part of that one."""
    call = value.facts.get("call") if isinstance(value, Object) and value.kind == DISTRIBUTED else None
    return isinstance(call, Invocation) and told_one_rank(call)


def told_one_rank(call: Invocation) -> bool:
    rank = call.get("rank")
    return isinstance(rank, Const) and type(rank.value) is int and rank.scale is None


def is_plain(machine: Machine, value: Value | None) -> bool:
    """torch's own sampler that every rank would fill alike."""
    if not isinstance(value, Object) or not isinstance(value.kind, str) or is_distributed(machine, value):
        return False
    return "torch.utils.data.Sampler" in machine.knowledge.ancestors(value.kind)


def draws_its_own(machine: Machine, sampler: Value | None) -> bool:
    """`RandomSampler(data, replacement=True, generator=…)`: samples drawn by each rank for itself, unless all of them
    have the same seed."""
    from dtlint.machine.library.drawing import seeds

    if not isinstance(sampler, Object) or not puts_back(sampler):
        return False
    return not seeds.alike(seeds.generator_for(machine, sampler.facts["call"], "torch"))


def puts_back(sampler: Object) -> bool:
    """Is each sample drawn from all of them, whatever was drawn before?"""
    call = sampler.facts.get("call")
    if call is None:
        return False
    return bool((call.get("replacement") or Const(bool(call.row.extra.get("with_replacement")))) == TRUE)


def walked(machine: Machine, value: Value | None) -> Inside | None:
    """A sampler of the project is walked through once, as a loader would do it."""
    from dtlint.machine.library.feeding import inside

    if machine.facts.get("inside") or not isinstance(value, Object) or not isinstance(value.kind, ClassRef):
        return None
    return inside.look(machine, value, machine.world.full)


def fills_alike(machine: Machine, value: Value | None, look: Inside | None) -> bool:
    """A sampler of the project: would every rank get the same order from it? Nothing in it may ask for the rank or draw
    from a generator that nobody has seeded."""
    from dtlint.machine.library.drawing import seeds
    from dtlint.machine.library.feeding import inside, sharding

    if look is None or is_distributed(machine, value):
        return False
    if not look.iterable or not look.known or look.cut or inside.splits_by_rank(look):
        return False
    if any(sharding.is_part(one) is not None for one in (*look.held, *inside.loops(look))):
        return False
    states = [event.extra["call"].extra.get("rng") for event in look.events("draw")]
    return bool(states) and all(isinstance(state, seeds.State) and seeds.alike(state) for state in states)


def asserts_its_number(machine: Machine, value: Value | None) -> bool:
    """`assert len(order) % world == 0`, `assert len(own) == self.number`, where a sampler of the project gives its
    order: who says how many there are has made it so."""
    kind = value.kind if isinstance(value, Object) else None
    walk = classes.in_class(machine, kind, "__iter__") if isinstance(kind, ClassRef) else None
    return isinstance(walk, FunctionRef) and any(
        isinstance(node, ir.Assert) and any(map(counts, every_node(node.test))) for node in every_node(walk.node.body)
    )


def counts(node: ir.Node) -> bool:
    return isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id == "len"


def inner(machine: Machine, value: Value | None) -> Value | None:
    """The sampler a batch sampler draws from."""
    if isinstance(value, Object) and not is_distributed(machine, value):
        held = value.attributes.get("sampler")
        if held is not None and held != NONE:
            return held
        call = value.facts.get("call")
        if call is not None and value.kind == OF_BATCHES:
            found = call.get("sampler")
            return found if isinstance(found, Object) else value
    return value


def shuffles(sampler: Object) -> bool | None:
    """Does it shuffle? torch's default is yes; None when nobody knows or the sampler is of another make."""
    call = sampler.facts.get("call")
    if isinstance(sampler.kind, ClassRef) or call is None:
        return None
    given = call.get("shuffle")
    if given is None and call.row.extra.get("shuffles") == "asked":
        return False if not spread(call) else None
    if given is None:
        return True if not spread(call) else None
    return given.value if isinstance(given, Const) and isinstance(given.value, bool) else None


def may_shuffle(sampler: Object) -> bool:
    """Does it shuffle, or is that one of the program's settings (`shuffle=config["shuffle"]`)?"""
    call = sampler.facts.get("call")
    given = call.get("shuffle") if call is not None and not isinstance(sampler.kind, ClassRef) else None
    return shuffles(sampler) is True or (isinstance(given, Unknown) and given.cause is None)


def spread(call: object) -> bool:
    """Were there `**options` nobody knows?"""
    return any(name is None for name, _ in getattr(call, "keywords", ()))
