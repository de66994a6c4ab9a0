"""What does a program say of how it is to be started? Launch files are held to it."""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.launch.batch import SIZES
from dtlint.launch.said import ENGINE, TASK_IS_RANK, Said, Told
from dtlint.machine.library.computing.provenance import parts
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.origins import spawns
from dtlint.machine.library.python.options import NUMBER_OPTIONS, is_given
from dtlint.machine.library.training.wrapping import BATCHES
from dtlint.machine.logs import Choice
from dtlint.machine.run import Run
from dtlint.machine.starts.given import DEFAULTS
from dtlint.machine.values import CONTAINERS, Const, Object, Tuple, Unknown, Value
from dtlint.timeline.records import recorded

STARTUP = "startup"  # in `extra` of a row, and the events of such calls


def said(run: Run) -> Iterator[Said]:
    if run.entry.kind != "script":
        return
    said_once: set[str] = set()  # topics without values: nobody asks where else it is said
    for event, path in recorded(run, STARTUP):
        call = event.extra.get("call")
        if not isinstance(call, Invocation) or any(name is None for name, _ in call.keywords):
            continue
        asked = call.row.extra[STARTUP]
        if asked["topic"] in said_once:
            continue
        if "params" not in asked:
            said_once.add(asked["topic"])
        given = {name: value for name in asked.get("params", ()) if (value := call.get(name)) is not None}
        others = (call.get(name) for name in asked.get("unless", ()))
        if all(one is None or stands_for(one, asked["topic"]) for one in others):
            sure = not any(isinstance(node, Choice) for node in path)
            values = {name: told(value) if sure else None for name, value in given.items()}
            options = {name: option for name, value in given.items() if sure and (option := option_in(run, value))}
            usual = asked.get("usual", {})
            yield Said(asked["topic"], run.entry.path, event.path, event.at[0], values, usual, options)
    for (path, at, _), sizes in run.facts.get(BATCHES, ()):
        numbers = dict(zip(SIZES, map(told, sizes), strict=True))
        if all(type(number) is int for number in numbers.values()):
            yield Said(ENGINE, run.entry.path, path, at[0], numbers)
    if asks_for_its_task(run) and not starts_others(run):
        yield Said(TASK_IS_RANK, run.entry.path, run.entry.path, run.entry.line)


def stands_for(value: Value, topic: str) -> bool:
    """`plugins=[SLURMEnvironment()]` says what the trainer would find out by itself."""
    held = [part for part in parts(value, 2) if not (isinstance(part, Object) and part.kind in CONTAINERS)]
    made = [getattr(part, "facts", {}).get("call") for part in held if not isinstance(part, Const | Tuple)]
    return bool(made) and all(isinstance(one, Invocation) and one.row.extra.get("says_usual") == topic for one in made)


def told(value: Value) -> Told:
    """A number, a word, or several numbers, as far as they are written down."""
    if isinstance(value, Tuple):
        numbers = [item.value for item in value.items if isinstance(item, Const) and not item.scale]
        whole = [number for number in numbers if isinstance(number, int)]
        return whole if len(whole) == len(value.items) else None
    known = isinstance(value, Const) and isinstance(value.value, str | int | float | bool) and not value.scale
    return value.value if known else None  # type: ignore[attr-defined]


def option_in(run: Run, value: Value) -> tuple[str, Told] | None:
    """A number that is an option of the command line: its name, and what it is where nobody gives it."""
    name = value.symbol.key[2] if isinstance(value, Unknown) and is_given(value) else None
    if not isinstance(name, str) or name not in run.facts.get(NUMBER_OPTIONS, ()):
        return None
    return name, run.facts.get(DEFAULTS, {}).get(name)


def asks_for_its_task(run: Run) -> bool:
    variables = run.knowledge.environment
    asked = run.facts.get("environment reads", ())
    return any(name.startswith("SLURM_") and name in variables and variables[name].value in OF_TASK for name in asked)


OF_TASK = ("rank", "local_rank")


def starts_others(run: Run) -> bool:
    return spawns(run) or next(recorded(run, "fork", "child"), None) is not None
