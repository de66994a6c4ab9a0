"""What may a row of a pack say?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Api:
    """One row: what calling (or reading) one name does.

    `does`: collective, p2p, value, source, make, same, identity, decorator, context, exit, spawn, partial, local,
    record, model. `model` names the machine's own reading of an API (dtlint/machine/library).
    """

    name: str
    does: str
    params: tuple[str, ...] = ()  # in the packs `role|name|name` where libraries call one thing by different names
    spellings: Mapping[str, str] = field(default_factory=dict)  # of such names: the role
    op: str = ""
    group: str = ""  # parameter holding the communicator
    root: str = ""  # parameter holding the root or source rank
    peer: str = ""  # parameter holding the peer of a p2p call
    agree: tuple[str, ...] = ()  # further parameters that must be equal on all ranks (reduce op, …)
    same: tuple[str, ...] = ()  # parameters whose content is equal on all ranks afterwards
    result: str = ""  # none | same | argument | root | root or none | work | differs
    implicit: bool = False  # hides the collective: DT108 rather than DT101
    when: str = ""  # only communicates when: sharded | engine | distributed-init | training | keyword=value[, …]
    value: str = ""  # for does=value: rank, local_rank, node, world_size, …
    cause: str = ""  # for does=source: why the result differs
    type: str = ""  # for does=make: canonical class of the result
    model: str = ""  # name of a handler in the machine's library
    kind: str = ""  # for decorators and contexts: main, local_main, first, local_first, suppress, nothing
    asynchronous: str = ""  # parameter that makes the call asynchronous
    record: str = ""  # kind of the event that rules of other families read
    since: str = ""
    until: str = ""
    pack: str = ""
    optional: bool = False  # not in every version: its absence is no error
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def last(self) -> str:
        """The last part of its name."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Type:
    """A library class: its bases (canonical) and the methods a framework calls on its subclasses."""

    name: str
    bases: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    iterates: str = ""  # what iterating gives
    turns: tuple[str, ...] = ()  # those of them that it calls in every turn of its loop
    losses: tuple[str, ...] = ()  # those whose answer it differentiates
    schedules: tuple[str, ...] = ()  # those that answer with optimizers and schedules, which it steps
    alone: tuple[str, ...] = ()  # methods that it calls on the rank that writes, and on no other
    lacks: tuple[str, ...] = ()  # what programs ask it for, though it has no such attribute
    computes: Mapping[str, str] = field(default_factory=dict)  # called on a derived class: which of its methods runs
    # what it gives its hooks by name: a type, `batch`, its `number`, `answer`
    hands: Mapping[str, str] = field(default_factory=dict)
    steers: Mapping[str, str] = field(default_factory=dict)  # attributes that its loop asks, and what it skips by them
    means: tuple[str, ...] = ()  # what its answer calls the mean of a loss function
    failing: tuple[str, ...] = ()  # hooks that it calls on a rank that has failed, and on no other
    prepares: tuple[str, ...] = ()  # methods that it calls before all others, in one process of each node
    builds: tuple[str, ...] = ()  # hooks that it calls before it wraps what they have built
    optional: bool = False  # not in every version: its absence is no error
    tree: bool = False  # JAX takes an instance for the arrays in it
    seeds: bool = False  # whoever makes one has seeded all generators alike on all ranks
