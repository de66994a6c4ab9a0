"""Which names show that ranks may part in a function, or that it makes what other rules follow, and whose are they?

What differs by rank, what only this rank sees, and the objects and records of the packs. Short common words (`log`,
`step`, `load`) show nothing by themselves, nor do layers, which somebody else trains, nor what is computed under a name
that lists and texts have too (`append`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dtlint.knowledge.rows import Api, Type

# values that differ by rank, and those that do not
EQUAL = (
    "world_size",
    "local_world_size",
    "group_size",
    "distributed",
    "not_distributed",
    "never",
    "devices",
    "local_devices",
    "nodes",
    "open_run",
)
LAYER = "torch.nn.Module"
OF_PYTHON = (str, list, dict, set)
MEETING = ("collective", "p2p")
KEPT = (*MEETING, "source", "value")  # functions that an object may have, too: `self.clock = time.monotonic`
ANYBODY = ""  # whose name it is does not matter


@dataclass(frozen=True, slots=True)
class Telling:
    """Last names. Of those that belong to libraries it is known to which: `softmax` of one library may be a random
    layer, and that of another plain arithmetic."""

    words: frozenset[str] = frozenset()  # all of them, and what is called to meet
    texts: frozenset[str] = frozenset()  # of these, what is told apart by its name in a text
    parameters: frozenset[str] = frozenset()  # what tells ranks apart as a parameter
    everything: Mapping[str, frozenset[str]] = field(default_factory=dict)  # name → its libraries
    of_things: Mapping[str, frozenset[str]] = field(default_factory=dict)  # the same, of what objects have
    libraries: frozenset[str] = frozenset()


def telling(
    tables: Mapping[str, Mapping[str, Api]],
    types: Mapping[str, Type],
    steering: Iterable[str],
    canonical: Callable[[str], str],
) -> Telling:
    """`tables` by the sections of the packs; `steering` are attributes of a loop that programs set."""
    everything: dict[str, set[str]] = {name: {ANYBODY} for name in steering}
    things: dict[str, set[str]] = {name: {ANYBODY} for name in steering}
    for section, table in tables.items():
        for api in table.values():
            if not tells(api, types):
                continue
            owner = library_of(canonical(api.name)) if section in ("call", "attribute") else ANYBODY
            if api.does == "spawn":
                owner = ANYBODY  # programs call their own launchers so
            everything.setdefault(api.last, set()).add(owner)
            if owner == ANYBODY or section == "attribute" or api.does in KEPT or is_method(api, types):
                things.setdefault(api.last, set()).add(owner)

    def told_in(*sections: str) -> frozenset[str]:
        return frozenset(api.last for one in sections for api in tables[one].values() if tells(api, types))

    meeting = {api.last for api in tables["call"].values() if api.does in MEETING}
    return Telling(
        frozenset(everything) | meeting,
        told_in("environment", "setting"),
        told_in("parameter"),
        {name: frozenset(owners) for name, owners in everything.items()},
        {name: frozenset(owners) for name, owners in things.items()},
        frozenset(owner for owners in everything.values() for owner in owners if owner != ANYBODY),
    )


def tells(api: Api, types: Mapping[str, Type]) -> bool:
    if api.does == "value":
        return api.value not in EQUAL
    common = len(api.last) <= 5 and "_" not in api.last and api.last.islower()
    if api.does in ("local", "identity", "same") and not api.record:
        common = common or any(hasattr(kind, api.last) for kind in OF_PYTHON)
    followed = api.does in ("source", "make", "spawn", "exit", "decorator") or bool(api.record or api.model)
    return followed and not common and not is_layer(api, types)


def is_layer(api: Api, types: Mapping[str, Type]) -> bool:
    made = types.get(api.type or api.name)
    return api.does == "make" and not api.record and not api.model and made is not None and LAYER in made.bases


def library_of(name: str) -> str:
    first, dot, _ = name.partition(".")
    return first if dot else ANYBODY


def is_method(api: Api, types: Mapping[str, Type]) -> bool:
    owner = api.name.rpartition(".")[0]
    return owner in types or owner.rpartition(".")[2][:1].isupper()
