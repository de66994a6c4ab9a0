"""Which class is meant where a program makes what its settings say?

`instantiate(config.evaluator)` of Hydra, `getattr(import_module(module), name)` with a name that was read, and
`SYSTEMS[config.system]`: files of the project with settings name classes under keys, and the program asks by the same
keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from dtlint.machine.core import Machine
from dtlint.machine.functions import one_of_several
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import ClassRef, Const, FunctionRef, Symbol, Unknown, Value
from dtlint.project.settings import Named, Said

STEPS = 40  # of one computation that are looked at
ANY = ""  # in place of a key
ENDLESS = "endless schedules"  # fact: the calls that make one, where all files with settings say so
SAID = "words of settings"  # note: the last of their keys → what files say under it
Words = tuple[str, ...]
One = TypeVar("One", Named, Said)


def read_name(machine: Machine, module: Value, name: Value) -> Value | None:
    """`module, name = config["target"].rsplit(".", 1)` and then `getattr(import_module(module), name)`"""
    from dtlint.machine.library.python import importing

    if not isinstance(module, Unknown) or not isinstance(name, Unknown) or name.cause is not None:
        return None
    known = machine.notes.get(importing.MODULES, {})
    if module.symbol.key[0] != "module" or known.get(module.symbol, ()) is not importing.ANY:
        return None
    return meant(machine, words_of(name.symbol)) or said_alone(machine, name)


def said_alone(machine: Machine, name: Unknown) -> Value | None:
    """`{"package": "training.modules", "class": "Unet"}`: the class of this name, wherever it is."""
    from dtlint.machine.library.python import importing

    named = spoken(machine, name, lambda word: word.isidentifier() and bool(importing.with_class(machine, word)))
    homes = [(one, home) for one in named for home in importing.with_class(machine, one)]
    makers = dict.fromkeys(filter(None, (resolved(machine, home.name, one) for one, home in homes)))
    return one_of_several.maker(machine, list(makers), name.symbol) if makers else None


def located(machine: Machine, call: Invocation) -> Value | None:
    """`locate(config["target"])`"""
    name = call.get("path") or (call.arguments[0] if call.arguments else None)
    if not isinstance(name, Unknown) or name.cause is not None:
        return None
    return meant(machine, words_of(name.symbol))


def instantiated(machine: Machine, call: Invocation) -> Value | None:
    """`instantiate(config.evaluator, model)`: the keys of the file give it the rest of its arguments."""
    from dtlint.machine.functions import calls

    config, *given = call.arguments or (call.get("config"),)
    if not isinstance(config, Unknown) or config.cause is not None:
        return None
    words = words_of(config.symbol)
    maker = meant(machine, (*words, str(call.row.extra["key"]))) if words else None
    if maker is None:
        return None
    rest = machine.unknown("settings", config.symbol)
    own = tuple((name, value) for name, value in call.keywords if name not in call.row.extra["own"])
    return calls.call_value(machine, maker, tuple(given), (*own, (None, rest)), call.mask, call.node)


def words_of(symbol: Symbol) -> Words:
    """The keys by which it was read, the outermost first: `model` and `target` for `config.model["target"]`; `ANY` for
    one of the items that stand under a key."""
    words: list[str] = []
    here: Any = symbol
    for _ in range(STEPS):
        if not isinstance(here, Symbol):
            break
        kind, *parts = here.key
        if kind in ("attr", "item"):
            word = parts[1] if len(parts) > 1 else ANY
            words.append(word.strip("'\"") if isinstance(word, str) else ANY)
        below = next((part for part in parts if isinstance(part, Symbol)), None)
        if kind == "call" and below is not None and below.key[0] == "attr":  # a method, no key
            if below.key[2] == "get" and len(parts) > 1 and isinstance(parts[1], str):
                words.append(parts[1])
            below = below.key[1]
        here = below
    while words and words[0] == ANY:  # a part of the text
        del words[0]
    return tuple(reversed(words))


def meant(machine: Machine, words: Words) -> Value | None:
    """What the settings name under these keys. The first words may be those of an object that holds the settings; one
    key alone could be any of the file's."""
    shortest = next((start for start in range(len(words) - 2, 0, -1) if words[start] != ANY), 0)
    rows = under(machine.project.settings, words, shortest)
    rows = of_this_program(machine, rows) or rows
    makers = list(dict.fromkeys(filter(None, (resolved(machine, one.module, one.name) for one in rows))))
    if not makers or (len(words) < 2 and len(makers) > 1):
        return None
    return one_of_several.only_one(machine, makers)


def under(rows: Sequence[One], words: Words, shortest: int) -> list[One]:
    """Those of the rows that stand under as many of these keys as any does, the last of them always among them."""
    asked = [one for one in rows if words and one.keys[-1] == words[-1]]
    suffixes = (words[start:] for start in range(shortest + 1))
    return next(filter(None, ([one for one in asked if is_under(one, some)] for some in suffixes)), [])


def spoken(machine: Machine, name: Value, fits: Callable[[str], object]) -> list[str]:
    """Which of the names that fit do files with settings say where this one is read? What most of them say first."""
    if not isinstance(name, Unknown) or name.cause is not None:
        return []
    words = words_of(name.symbol)
    by_key: dict[str, list[Said]] = machine.notes.get(SAID, {})
    if SAID not in machine.notes:
        machine.notes[SAID] = by_key
        for one in machine.project.words:
            by_key.setdefault(one.keys[-1], []).append(one)
    asked = by_key.get(words[-1], ()) if words else ()
    rows = under([one for one in asked if fits(one.word)], words, len(words) - 1)
    return [word for word, _ in Counter(one.word for one in rows).most_common()]


def schedule_named(machine: Machine, call: Invocation) -> Value | None:
    """`get_scheduler(config.schedule, …)`: one that stays as it is comes to no end, whatever length it is told."""
    name, endless = call.get("name"), call.row.extra["endless"]
    said = [str(name.value)] if isinstance(name, Const) else spoken(machine, name, bool) if name is not None else []
    if said and all(one in endless for one in said):
        machine.facts.setdefault(ENDLESS, set()).add(call.node)
    return None


def of_this_program(machine: Machine, rows: list[Named]) -> list[Named]:
    """Those of the files that name what is running, too: every program of a project may have files of its own."""
    running: set[str] = set()
    frame: Frame | None = machine.frame
    while frame is not None:
        running.add(machine.project.name_of(frame.path))
        frame = frame.caller
    files = {(one.folder, one.file) for one in machine.project.settings if one.module in running}
    return [one for one in rows if (one.folder, one.file) in files]


def is_under(one: Named | Said, words: Words) -> bool:
    """A folder of settings is a key of what its files hold: `conf/model/small.yaml` fills `config.model`."""
    return end_in((one.folder, *one.keys), words) or end_in((one.folder, one.file, *one.keys), words)


def end_in(keys: tuple[str, ...], words: Words) -> bool:
    if not words:
        return True
    if words[-1] == ANY:  # an item of a list has no key
        return end_in(keys, words[:-1]) or (bool(keys) and end_in(keys[:-1], words[:-1]))
    return bool(keys) and keys[-1] == words[-1] and end_in(keys[:-1], words[:-1])


def resolved(machine: Machine, module: str, name: str) -> ClassRef | FunctionRef | None:
    from dtlint.machine.names import attributes, scopes

    found = scopes.find_module(machine, module)
    value = attributes.of_module(machine, found, name, machine.world.full) if found is not None else None
    return value if isinstance(value, ClassRef | FunctionRef) else None


MODELS: dict[str, Any] = {
    "made_by_settings": instantiated,
    "named_by_settings": located,
    "schedule_named": schedule_named,
}
