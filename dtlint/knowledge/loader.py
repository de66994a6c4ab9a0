"""How is what is known read from the TOML packs, and from the rows of users?"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib import resources
from typing import Any

from dtlint.knowledge.known import Knowledge
from dtlint.knowledge.rows import Api, Type
from dtlint.knowledge.telling import EQUAL, telling

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class KnowledgeError(ValueError):
    """A pack or a user's row that cannot be understood."""


API_FIELDS = {name for name in Api.__dataclass_fields__ if name not in ("pack", "spellings")} | {"names"}
TYPE_FIELDS = {*Type.__dataclass_fields__, "names"}
SECTIONS = {
    "pack", "aliases", "call", "attribute", "type", "parameter", "member", "environment", "function", "tokens",
    "setting", "giving", "noise", "shows", "fields", "words",
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
            types.update((known.name, known) for known in _types(row, pack))
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
    below = tuple(listed(packs, "giving", "below"))
    knowledge = Knowledge(
        apis=apis,
        attributes=tables["attribute"],
        types=types,
        aliases=aliases,
        parameters=tables["parameter"],
        members=tables["member"],
        environment=tables["environment"],
        functions=tables["function"],
        settings=tables["setting"],
        tokens=frozenset(tokens),
        communicating=frozenset(communicating),
        meaningful=frozenset(meaningful),
        leading=frozenset(name.encode() for name in communicating | parting_names(every)),
        ranks=rank_names(every),
        places=last_names(api for api in every if api.does == "value" and api.value not in ("", "open_run", "never")),
        anywhere={api.last: api for api in apis.values() if api.extra.get("anywhere")},
        machines=tuple(listed(packs, "words", "machines")),
        launched=frozenset(listed(packs, "words", "launched")),
        axes=frozenset(listed(packs, "words", "axes")),
        draws=frozenset(listed(packs, "words", "draws")),
        beginning=frozenset(listed(packs, "words", "beginning")),
        sisters=frozenset(listed(packs, "words", "sisters")),
        alike=frozenset(listed(packs, "words", "alike")),
        keyed=last_names(api for api in apis.values() if api.record == "key" or api.extra.get("hands_key")),
        joining_hosts=last_names(api for api in apis.values() if api.record == "init" and api.extra.get("hosts")),
        seeding=last_names(api for api in apis.values() if api.record == "seed"),
        agreeing=agreeing_names(apis),
        waiting=last_names(api for api in apis.values() if api.op == "barrier" and api.does == "collective"),
        joining=last_names(api for api in apis.values() if api.record == "thread-join"),
        answering=frozenset(name for api in apis.values() if api.does == "source" and (name := owner(api)) in types),
        handed=handed_names(types.values()),
        hooks=frozenset(name for known in types.values() for name in known.hooks),
        giving=below,
        not_giving=tuple(listed(packs, "giving", "except")),
        giving_methods=frozenset(listed(packs, "giving", "methods")),
        still={name: value for _, content in packs for name, value in content.get("noise", {}).items()},
        texts=frozenset(listed(packs, "fields", "texts")),
        shows=frozenset(listed(packs, "shows", "libraries")),
        libraries=frozenset(name.partition(".")[0] for name in (*apis, *below)),
    )
    for name in [*apis]:
        canonical = knowledge.canonical(name)
        if canonical not in apis:
            apis[canonical] = apis[name]
    return replace(knowledge, telling=telling({"call": apis, **tables}, types, steering, knowledge.canonical))


def listed(packs: list[tuple[str, Mapping[str, Any]]], section: str, key: str) -> Iterator[str]:
    """What all packs list there."""
    return (name for _, content in packs for name in content.get(section, {}).get(key, ()))


def last_names(rows: Iterable[Api]) -> frozenset[str]:
    return frozenset(row.last for row in rows)


def owner(method: Api) -> str:
    return method.name.rpartition(".")[0]


def handed_names(types: Iterable[Type]) -> dict[str, frozenset[str]]:
    """Hooks, and the names under which they are given a batch of their rank's data."""
    found: dict[str, frozenset[str]] = {}
    for known in types:
        batches = frozenset(name for name, what in known.hands.items() if what == "batch")
        for hook in known.hooks if batches else ():
            found[hook] = found.get(hook, frozenset()) | batches
    return found


def rank_names(every: Iterable[Api]) -> frozenset[str]:
    return last_names(api for api in every if api.does == "value" and api.value and api.value not in EQUAL)


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


def _fields(row: Mapping[str, Any], pack: str, known: set[str]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The names a row is for, and what it says of them."""
    names = _names(row, pack)
    unknown = set(row) - known
    if unknown:
        raise KnowledgeError(f"{pack}: {names[0]}: unknown field {sorted(unknown)[0]!r}")
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return names, {name: value for name, value in values.items() if name not in ("names", "name")}


def _types(row: Mapping[str, Any], pack: str) -> list[Type]:
    names, values = _fields(row, pack, TYPE_FIELDS)
    return [Type(name=name, **values) for name in names]


def _apis(row: Mapping[str, Any], pack: str) -> list[Api]:
    names, values = _fields(row, pack, API_FIELDS)
    if any("|" in param for param in values.get("params", ())):
        options = [param.split("|") for param in values["params"]]
        values["params"] = tuple(spelled[0] for spelled in options)
        values["spellings"] = {name: spelled[0] for spelled in options for name in spelled[1:]}
    values.setdefault("does", "value" if "value" in values else "make" if "type" in values else "local")
    return [Api(name=name, pack=pack, **values) for name in names]
