"""What does a library name mean? Rows of the TOML packs, found by canonical dotted name."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import resources
from typing import Any

from dtlint.knowledge.telling import EQUAL, Telling, telling

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class KnowledgeError(ValueError):
    """A pack or a user's row that cannot be understood."""


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
    when: str = ""  # only communicates when: sharded | distributed-init | training | keyword=value[, …]
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
    hands: Mapping[str, str] = field(
        default_factory=dict
    )  # what it gives its hooks by name: a type, `batch`, its `number`, `answer`
    steers: Mapping[str, str] = field(default_factory=dict)  # attributes that its loop asks, and what it skips by them
    means: tuple[str, ...] = ()  # what its answer calls the mean of a loss function
    failing: tuple[str, ...] = ()  # hooks that it calls on a rank that has failed, and on no other
    prepares: tuple[str, ...] = ()  # methods that it calls before all others, in one process of each node
    builds: tuple[str, ...] = ()  # hooks that it calls before it wraps what they have built
    seeds: bool = False  # whoever makes one has seeded all generators alike on all ranks


@dataclass(frozen=True, slots=True)
class Knowledge:
    apis: Mapping[str, Api]
    attributes: Mapping[str, Api]
    types: Mapping[str, Type]
    aliases: Mapping[str, str]
    parameters: Mapping[str, Api]  # well-known parameter names of functions nobody calls
    members: Mapping[str, Api]  # well-known attribute names on unknown objects
    environment: Mapping[str, Api]
    functions: Mapping[str, Api]  # well-known function names whose module cannot be resolved
    tokens: frozenset[bytes]
    communicating: frozenset[str]  # last names of everything that may communicate
    meaningful: frozenset[str] = frozenset()  # last names of everything that means anything to some rule
    telling: Telling = field(default_factory=Telling)  # what makes a function worth running on its own
    ranks: frozenset[str] = frozenset()  # last names of what says which rank this is
    places: frozenset[str] = frozenset()  # of what says which rank this is, or how many there are
    settings: Mapping[str, Api] = field(default_factory=dict)  # environment variables and flags that libraries read
    anywhere: Mapping[str, Api] = field(default_factory=dict)  # methods whose names nobody else uses
    leading: frozenset[bytes] = frozenset()  # last names of what communicates or tells ranks apart
    keyed: frozenset[str] = frozenset()  # last names of what makes, takes or hands on a key
    giving: tuple[str, ...] = ()  # beginnings of names whose functions never return None
    not_giving: tuple[str, ...] = ()  # beginnings of names that are exceptions to these
    giving_methods: frozenset[str] = frozenset()  # methods that never return None, whatever they are asked of
    still: Mapping[str, bool] = field(default_factory=dict)  # options, and the value with which a model draws nothing
    agreeing: frozenset[str] = frozenset()  # last names of collectives that give all ranks the same
    waiting: frozenset[str] = frozenset()  # last names of barriers
    handed: Mapping[str, frozenset[str]] = field(default_factory=dict)  # hooks, and their parameters that are batches
    hooks: frozenset[str] = frozenset()  # of any framework
    texts: frozenset[str] = frozenset()  # fields of records that hold texts, whoever has written them
    shows: frozenset[str] = frozenset()  # libraries whose calls are for people to look at
    libraries: frozenset[str] = frozenset()  # of which some row speaks
    answering: frozenset[str] = frozenset()  # classes whose instances know what other ranks do not
    lines: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of classes and their bases, as they are asked for

    def describes(self, name: str) -> bool:
        """Is this of a library that some row speaks of, or of Python's own?"""
        library = name.partition(".")[0]
        return library in self.libraries or library in sys.stdlib_module_names or hasattr(builtins, library)

    def always_gives(self, name: str) -> bool:
        return name.startswith(self.giving) and not name.startswith(self.not_giving)

    def canonical(self, name: str) -> str:
        """Replace alias prefixes, longest first, until nothing changes."""
        return _canonical(self, name)

    def api(self, name: str) -> Api | None:
        found = self.apis.get(name)
        if found is None:
            found = self.apis.get(self.canonical(name))
        return found

    def method(self, kind: str, name: str) -> Api | None:
        """A method of a library class, looked up along its bases."""
        for owner in self.ancestors(kind):
            found = self.apis.get(f"{owner}.{name}")
            if found is not None:
                return found
        return None

    def attribute(self, kind: str, name: str) -> Api | None:
        for owner in self.ancestors(kind):
            found = self.attributes.get(f"{owner}.{name}")
            if found is not None:
                return found
        return None

    def ancestors(self, kind: str) -> tuple[str, ...]:
        found = self.lines.get(kind)
        if found is None:
            found = self.lines[kind] = self._line(self.canonical(kind))
        return found

    def _line(self, kind: str) -> tuple[str, ...]:
        done: list[str] = []
        todo = [kind]
        while todo:
            owner = todo.pop(0)
            if owner in done:
                continue
            done.append(owner)
            known = self.types.get(owner)
            if known is not None:
                todo.extend(self.canonical(base) for base in known.bases)
        return tuple(done)


_CANONICAL: dict[tuple[int, str], str] = {}


def _canonical(knowledge: Knowledge, name: str) -> str:
    index = (id(knowledge.aliases), name)
    found = _CANONICAL.get(index)
    if found is None:
        found = name
        for _ in range(4):
            parts = found.split(".")
            for end in range(len(parts), 0, -1):
                prefix = ".".join(parts[:end])
                target = knowledge.aliases.get(prefix)
                if target is not None and target != prefix:
                    found = ".".join([target, *parts[end:]])
                    break
            else:
                break
        _CANONICAL[index] = found
    return found


API_FIELDS = {name for name in Api.__dataclass_fields__ if name not in ("name", "pack", "spellings")} | {"names"}
SECTIONS = {
    "pack", "aliases", "call", "attribute", "type", "parameter", "member", "environment", "function", "tokens",
    "setting", "giving", "noise", "shows", "fields",
}  # fmt: skip


def load(user: Mapping[str, Any] | None = None) -> Knowledge:
    """All shipped packs, then the user's rows, which win."""
    packs = [*_shipped()]
    if user:
        packs.append(("[tool.dtlint.knowledge]", user))
    return build(packs)


@lru_cache(maxsize=1)
def _shipped() -> tuple[tuple[str, Mapping[str, Any]], ...]:
    folder = resources.files("dtlint.knowledge") / "packs"
    found = []
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".toml"):
            found.append((entry.name.removesuffix(".toml"), tomllib.loads(entry.read_text(encoding="utf-8"))))
    return tuple(found)


def build(packs: list[tuple[str, Mapping[str, Any]]]) -> Knowledge:
    apis: dict[str, Api] = {}
    tables: dict[str, dict[str, Api]] = {
        "attribute": {},
        "parameter": {},
        "member": {},
        "environment": {},
        "function": {},
        "setting": {},
    }
    types: dict[str, Type] = {}
    aliases: dict[str, str] = {}
    tokens: set[bytes] = set()
    options: set[str] = set()
    for pack, content in packs:
        unknown = set(content) - SECTIONS
        if unknown:
            raise KnowledgeError(
                f"{pack}: unknown section {sorted(unknown)[0]!r}; known: {', '.join(sorted(SECTIONS))}"
            )
        aliases.update(content.get("aliases", {}))
        tokens.update(token.encode() for token in content.get("tokens", {}).get("words", ()))
        options.update(content.get("tokens", {}).get("options", ()))
        for row in content.get("call", ()):
            for api in _apis(row, pack):
                apis[api.name] = api
        for section, table in tables.items():
            for row in content.get(section, ()):
                for api in _apis(row, pack):
                    table[api.name] = api
        for row in content.get("type", ()):
            for name in _names(row, pack):
                types[name] = Type(
                    name,
                    tuple(row.get("bases", ())),
                    tuple(row.get("hooks", ())),
                    row.get("iterates", ""),
                    tuple(row.get("turns", ())),
                    tuple(row.get("losses", ())),
                    tuple(row.get("schedules", ())),
                    tuple(row.get("alone", ())),
                    tuple(row.get("lacks", ())),
                    row.get("computes", {}),
                    row.get("hands", {}),
                    row.get("steers", {}),
                    tuple(row.get("means", ())),
                    tuple(row.get("failing", ())),
                    tuple(row.get("prepares", ())),
                    tuple(row.get("builds", ())),
                    bool(row.get("seeds")),
                )
    every = [api for table in (apis, *tables.values()) for api in table.values()]
    steering = frozenset(name for known in types.values() for name in known.steers)
    communicating = steering | {
        api.last
        for api in apis.values()
        if api.does in ("collective", "p2p", "context") or api.extra.get("communicates") or api.op
    }
    meaningful = (
        communicating
        | options
        | {
            api.last
            for table in (apis, tables["attribute"], tables["member"], tables["environment"], tables["function"])
            for api in table.values()
            if api.does not in ("local", "identity", "same") or api.model or api.record or api.extra.get("cores")
            if not api.extra.get("by_the_way")
        }
    )
    below = tuple(name for _, content in packs for name in content.get("giving", {}).get("below", ()))
    knowledge = Knowledge(
        apis,
        tables["attribute"],
        types,
        aliases,
        tables["parameter"],
        tables["member"],
        tables["environment"],
        tables["function"],
        frozenset(tokens),
        frozenset(communicating),
        frozenset(meaningful),
        Telling(),
        rank_names(every),
        frozenset(api.last for api in every if api.does == "value" and api.value not in ("", "open_run", "never")),
        tables["setting"],
        {api.last: api for api in apis.values() if api.extra.get("anywhere")},
        frozenset(name.encode() for name in communicating | parting_names(every)),
        frozenset(api.last for api in apis.values() if api.record == "key" or api.extra.get("hands_key")),
        below,
        tuple(name for _, content in packs for name in content.get("giving", {}).get("except", ())),
        frozenset(name for _, content in packs for name in content.get("giving", {}).get("methods", ())),
        {name: value for _, content in packs for name, value in content.get("noise", {}).items()},
        agreeing_names(apis),
        frozenset(api.last for api in apis.values() if api.op == "barrier" and api.does == "collective"),
        handed_names(types.values()),
        frozenset(name for known in types.values() for name in known.hooks),
        frozenset(name for _, content in packs for name in content.get("fields", {}).get("texts", ())),
        frozenset(name for _, content in packs for name in content.get("shows", {}).get("libraries", ())),
        frozenset(name.partition(".")[0] for name in (*apis, *below)),
        frozenset(api.name.rpartition(".")[0] for api in apis.values() if api.does == "source").intersection(types),
    )
    for name in [*apis]:
        canonical = knowledge.canonical(name)
        if canonical not in apis:
            apis[canonical] = apis[name]
    return replace(knowledge, telling=telling({"call": apis, **tables}, types, steering, knowledge.canonical))


def handed_names(types: Iterable[Type]) -> dict[str, frozenset[str]]:
    """Hooks, and the names under which they are given a batch of their rank's data."""
    found: dict[str, frozenset[str]] = {}
    for known in types:
        batches = frozenset(name for name, what in known.hands.items() if what == "batch")
        for hook in known.hooks if batches else ():
            found[hook] = found.get(hook, frozenset()) | batches
    return found


def rank_names(every: Iterable[Api]) -> frozenset[str]:
    return frozenset(api.last for api in every if api.does == "value" and api.value and api.value not in EQUAL)


def agreeing_names(apis: Mapping[str, Api]) -> frozenset[str]:
    """Whoever calls something so on an object nobody knows asks for what all ranks have. Strings have a `join` too."""
    rows = (api for api in apis.values() if api.does == "collective" and not api.implicit)
    return frozenset(api.last for api in rows if api.result in ("same", "argument") and not hasattr(str, api.last))


def parting_names(every: Iterable[Api]) -> set[str]:
    """Last names of what tells ranks apart, or how many there are."""
    return {api.last for api in every if api.does in ("source", "value")}


def _names(row: Mapping[str, Any], pack: str) -> tuple[str, ...]:
    names = row.get("names", row.get("name"))
    if not names:
        raise KnowledgeError(f"{pack}: a row without `names`")
    return (names,) if isinstance(names, str) else tuple(names)


def _apis(row: Mapping[str, Any], pack: str) -> list[Api]:
    names = _names(row, pack)
    unknown = set(row) - API_FIELDS - {"name"}
    if unknown:
        raise KnowledgeError(f"{pack}: {names[0]}: unknown field {sorted(unknown)[0]!r}")
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in row.items()
        if name not in ("names", "name")
    }
    if any("|" in param for param in values.get("params", ())):
        options = [param.split("|") for param in values["params"]]
        values["params"] = tuple(spelled[0] for spelled in options)
        values["spellings"] = {name: spelled[0] for spelled in options for name in spelled[1:]}
    values.setdefault("does", "value" if "value" in values else "make" if "type" in values else "local")
    return [Api(name=name, pack=pack, **values) for name in names]
