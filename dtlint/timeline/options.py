"""The options of the command line, as far as a parser that the program makes tells them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.library.python.environment_use import DEFAULTS
from dtlint.machine.library.python.files import text_of
from dtlint.machine.library.training.stepping import attribute_of
from dtlint.machine.logs import Event, plain_question
from dtlint.machine.values import FALSE, NONE, TRUE, Const, Symbol, Unknown, Value
from dtlint.timeline.steps.stepping import events

SWITCHES = {"store_true": FALSE, "store_false": TRUE}  # what a switch is that nobody gives


def option_of(run: Any, name: str | None) -> Event | None:
    """The command line option of this name."""
    if name is None:
        return None
    for met in events(run, "record", "option"):
        call = met.event.extra["call"]
        spelled = [value.value for value in call.arguments if isinstance(value, Const) and isinstance(value.value, str)]
        if any(text.lstrip("-").replace("-", "_") == name for text in spelled):
            return met.event
    return None


def default_of(option: Event) -> Value | None:
    """What the option is when nobody gives it; of a path, what is written."""
    given = dict(option.extra["call"].keywords)
    if "default" not in given:
        return SWITCHES.get(getattr(given.get("action"), "value", ""))
    return text_of(given["default"])


def default_for(run: Any, symbol: Symbol) -> Value | None:
    """The default of the option or of the environment variable that this stands for."""
    if symbol.key[0] == "environment" and len(symbol.key) == 2:
        found: Value | None = run.facts.get(DEFAULTS, {}).get(symbol.key[1])
        return found
    if symbol.key[0] == "builtins.int" and isinstance(symbol.key[1], Symbol):
        return as_number(default_for(run, symbol.key[1]))
    option = option_of(run, attribute_of(symbol))
    return default_of(option) if option is not None else None


def as_number(value: Value | None) -> Value | None:
    """What `int(value)` is, if it is one."""
    text = value.value if isinstance(value, Const) else None
    if isinstance(text, str):
        return Const(int(text)) if text.strip().lstrip("-").isdecimal() else None
    return value if type(text) is int else None


def default_in_a_class(run: Any, name: str | None) -> Value | None:
    """`class Options: accumulate: int = 1`: what the classes of the program that have such a field give it."""
    if name is None:
        return None
    own = run.project.relatives(run.entry.path)
    given = {
        line.value.value
        for path in run.project.mentioning(name)
        if path in own and (module := run.project.module(path)) is not None and name in module.tokens
        for kind in every_node(module)
        if isinstance(kind, ir.Class)
        for line in kind.body
        if isinstance(line, ir.AnnAssign) and isinstance(line.target, ir.Name) and line.target.id == name
        if isinstance(line.value, ir.Const)
    }
    return Const(given.pop()) if len(given) == 1 else None


def usual(run: Any, value: Value | None) -> Value | None:
    """The value itself, or the default of the option or of the environment variable it is read from."""
    if not isinstance(value, Unknown):
        return value
    option = option_of(run, attribute_of(value.symbol))
    return default_of(option) if option is not None else default_for(run, value.symbol) or value


def usual_switch(run: Any, value: Value | None) -> Value | None:
    """As `usual`, of a switch that may have been turned round: `not options.quiet`."""
    if isinstance(value, Unknown) and value.symbol.key[0] == "not" and isinstance(value.symbol.key[1], Symbol):
        inner = usual_switch(run, Unknown(value.symbol.key[1]))
        return Const(not inner.value) if isinstance(inner, Const) else value
    return usual(run, value)


def asked_for(run: Any, path: str, name: str) -> bool:
    """Does a branch of this file ask for the option, so that what stands under it may depend on it?"""
    module = run.project.module(path)
    return module is not None and any(mentions(test, name) for test in tests_in(module))


def tests_in(below: ir.Node) -> Iterator[ir.Node]:
    for node in every_node(below):
        if isinstance(node, ir.If | ir.IfExp | ir.While | ir.Assert):
            yield node.test


def mentions(below: ir.Node, name: str) -> bool:
    return any(named(node) == name for node in every_node(below))


def named(node: ir.Node) -> object:
    """`args.workers`, `workers`, `options["workers"]`"""
    if isinstance(node, ir.Attr):
        return node.name
    if isinstance(node, ir.Index):
        return node.index.value if isinstance(node.index, ir.Const) else None
    return node.id if isinstance(node, ir.Name) else None


def asked_by_itself(run: Any, question: Symbol | None, side: bool) -> bool:
    """Is this side for who gives an option that the documents give to lone processes only?"""

    def alone(name: str, given: bool) -> bool:
        return given and bool(run.project.started.asked_by_itself(run.entry.path, name))

    return for_whom(run, question, side, alone)


def left_out_nowhere(run: Any, question: Symbol | None, side: bool) -> bool:
    """Is this side for who leaves out a flag that the documents give wherever they launch the program?"""

    def missing(name: str, given: bool) -> bool:
        return not given and bool(run.project.started.asked_wherever_launched(run.entry.path, name))

    return for_whom(run, question, side, missing)


def for_whom(run: Any, question: Symbol | None, side: bool, test: Callable[[str, bool], bool]) -> bool:
    """Is this side only for those who give a flag, or leave it out, for which the test holds?"""
    asked, given = plain_question(question)
    if asked is None:
        return False
    given = given == side
    parts = [one for one in asked.key[1:] if isinstance(one, Symbol)]
    if asked.key[0] == ("or" if given else "and"):
        return bool(parts) and all(for_whom(run, one, given, test) for one in parts)
    if asked.key[0] == ("and" if given else "or"):
        return any(for_whom(run, one, given, test) for one in parts)
    if asked.key[0] == "is none":
        return bool(parts) and for_whom(run, parts[0], not given, test)
    name = attribute_of(asked)
    if name is None or not test(name, given):
        return False
    option = option_of(run, name)
    return option is not None and default_of(option) in (None, NONE, Const(False))
