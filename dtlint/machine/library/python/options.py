"""What do the options of the command line hold, as far as the parser that reads them is made here?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents import containers, written
from dtlint.machine.core import Machine
from dtlint.machine.functions import one_of_several
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python import files
from dtlint.machine.starts.given import DEFAULTS, PARSED, is_option
from dtlint.machine.values import (
    TRUE,
    Bound,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Object,
    Symbol,
    Tuple,
    Unknown,
    Value,
)

LOCAL_DEFAULTS = "local defaults"
PATHS = "options that are paths"
PARSER = "argparse.ArgumentParser"
OPTIONS = "options"  # fact of the run: which names each parser knows
MORE = "more options"  # and which parsers may know others
SPELLED = "other names of options"
TEXT_OPTIONS = "text options"  # fact of the run: names of options that are texts
LISTS_OF_TEXTS = "options of several texts"  # and of those that are lists of them
NUMBER_OPTIONS = "number options"  # fact of the run: names of options that are one number, and never None
WHOLE_OPTIONS = "options that are whole numbers"  # fact of the run: names of options that may be a 0
NAMED_OPTIONS = "options with a default"  # fact of the run: names of options that are never None
DEMANDED = "demanded"  # tag: a variable of the environment without which the program stops
DEMANDED_TEXTS = "texts that have to be given"  # fact of the run: names of options that no parser goes on without
NUMBERS = (External("builtins.int"), External("builtins.float"))
TEXT = External("builtins.str")
FLAGS = "absl.flags.FLAGS"
CHOICES = "choices of options"  # fact of the run: what may be given, where the parser takes nothing else
COMMANDS = "argparse._SubParsersAction"
HANDLERS = "handlers"  # fact of the run: the functions that commands have put under a name of their options


def option_default(machine: Machine, call: Invocation) -> Value | None:
    """`add_argument("--name", default=time.strftime(…))`: what each process gets where nobody gives the option; and
    which options are paths."""
    default = call.get("default")
    names = [value.value for value in call.arguments if isinstance(value, Const) and isinstance(value.value, str)]
    given = call.get("dest")
    if isinstance(given, Const) and isinstance(given.value, str):
        names = [given.value]
    words = [one.lstrip("-").replace("-", "_") for one in sorted(names, key=lambda one: not one.startswith("--"))]
    name = words[0] if words else ""
    if isinstance(call.receiver, Object):
        machine.facts.setdefault(OPTIONS, {}).setdefault(call.receiver.number, set()).add(name)
    if len(words) > 1:
        machine.facts.setdefault(SPELLED, {})[name] = words[1:]
    if default is not None and default.cause is not None:
        machine.facts.setdefault(LOCAL_DEFAULTS, {})[name] = default.cause
    if isinstance(default, Const) and default.value is not None:
        machine.facts.setdefault(DEFAULTS, {})[name] = default.value
    choices = call.get("choices")
    items = containers.items_of(machine, choices) if choices is not None else None
    if items and all(isinstance(item, Const) for item in items):
        machine.facts.setdefault(CHOICES, {})[name] = frozenset(token(item) for item in items)
    if call.get("type") == External(files.PATH):
        machine.facts.setdefault(PATHS, set()).add(name)
    if name and not any(word in ("type", "action", "nargs", None) for word, _ in call.keywords):
        machine.facts.setdefault(TEXT_OPTIONS, set()).add(name)
    if name and call.get("nargs") is not None and call.get("type") is None and call.get("action") is None:
        machine.facts.setdefault(LISTS_OF_TEXTS, set()).add(name)
    if name and call.get("type") == NUMBERS[0]:
        machine.facts.setdefault(WHOLE_OPTIONS, set()).add(name)
    if name and call.get("type") in NUMBERS and always_one(call, default):
        machine.facts.setdefault(NUMBER_OPTIONS, set()).add(name)
    if name:
        demanded = is_demanded(call, names)
        sure = (demanded or (isinstance(default, Const) and default.value is not None)) and not makes_none(call)
        machine.facts.setdefault(NAMED_OPTIONS, {}).setdefault(name, set()).add(sure)
        text = call.get("type") in (None, TEXT) and call.get("action") is None
        machine.facts.setdefault(DEMANDED_TEXTS, {}).setdefault(name, set()).add(demanded and text)
    return None


def is_demanded(call: Invocation, names: list[str]) -> bool:
    """`add_argument("folder")`, `add_argument("--name", required=True)`"""
    if call.get("required") == TRUE:
        return True
    return bool(names) and not names[0].startswith("-") and call.get("nargs") is None and call.get("dest") is None


def is_demanded_text(machine: Machine, value: Unknown) -> bool:
    """What the program does not start without says something, as a rule."""
    if value.symbol.key[0] == "environment":
        return DEMANDED in value.tags
    return is_given(value) and machine.facts.get(DEMANDED_TEXTS, {}).get(value.symbol.key[2]) == {True}


def makes_none(call: Invocation) -> bool:
    """May somebody who gives the option get None for it? What converts it might, and so might a constant."""
    return call.get("const") is not None or not (call.get("type") is None or call.get("type") in (*NUMBERS, TEXT))


def is_there(machine: Machine, value: Value) -> bool:
    """An option of the command line that is something where nobody gives it, by every parser that has one."""
    if isinstance(value, Unknown) and value.symbol.key[0] == "environment":
        return DEMANDED in value.tags
    return is_given(value) and machine.facts.get(NAMED_OPTIONS, {}).get(value.symbol.key[2]) == {True}  # type: ignore[attr-defined]


def always_one(call: Invocation, default: Value | None) -> bool:
    """Does the option hold one value, neither a list of them nor None, whether somebody gives it or not?"""
    if any(word in ("action", "nargs", "required", None) for word, _ in call.keywords):
        return False
    return isinstance(default, Const) and isinstance(default.value, int | float)


def flag(machine: Machine, call: Invocation) -> Value | None:
    """`flags.DEFINE_float("rate", 0.1, …)`"""
    name, default = call.get("name"), call.get("default")
    if isinstance(name, Const) and isinstance(default, Const) and isinstance(default.value, int | float):
        machine.facts.setdefault(NUMBER_OPTIONS, set()).add(name.value)
    return None


def option(machine: Machine, given: Unknown, name: str, mask: int) -> Value:
    """An option of the command line, as the parser gives it."""
    handlers = machine.facts.get(HANDLERS, {}).get(name)
    handler = one_of_several.maker(machine, handlers, given.symbol) if handlers else None
    if handler is not None:
        return handler
    cause = machine.facts.get(LOCAL_DEFAULTS, {}).get(name)
    value = machine.unknown("attr", given.symbol, name, cause=cause)
    if name not in machine.facts.get(PATHS, ()):
        return value
    made = machine.facts.setdefault("path options made", {})
    if name not in made:
        made[name] = files.path_of(machine, value, mask)
    found: Value = made[name]
    return found


def spelled(machine: Machine, given: Unknown, name: str) -> str:
    """What an option says it is: `--rank`, which launchers give as `--local_rank`, is the rank on this node."""
    if given.symbol.key[0] != PARSED:
        return name
    others = machine.facts.get(SPELLED, {}).get(name, ())
    return next((one for one in others if one in machine.knowledge.members), name)


def numbers_no_process(machine: Machine, given: Unknown, name: str) -> bool:
    """`--rank`, which is 8 where nobody gives it: a process that was not started by anybody has the number 0."""
    default = machine.facts.get(DEFAULTS, {}).get(name) if given.symbol.key[0] == PARSED else None
    return type(default) is int and default > 0


def is_given(value: Value) -> bool:
    """An option as it was given, or the default of it: the same for all ranks."""
    return isinstance(value, Unknown) and value.cause is None and is_option(value.symbol)


def last_choice(machine: Machine, asked: Symbol) -> bool:
    """`elif args.kind == "b":` where the parser takes "a" or "b" only, and it is not "a"."""
    if asked.key[0] != "compare ==" or not isinstance(asked.key[1], Symbol) or not is_option(asked.key[1]):
        return False
    _, subject, given = asked.key
    others = machine.facts.get(CHOICES, {}).get(subject.key[2], frozenset())
    return given in others and all(
        machine.assumes(machine.symbols.of("compare ==", subject, other), False) for other in others - {given}
    )


def is_text(machine: Machine, value: Value | None) -> bool:
    """A text that is written down or put together, a variable of the environment, or an option of the command line that
    nothing converts."""
    if isinstance(value, Const):
        return isinstance(value.value, str | bytes)
    return isinstance(value, Unknown) and is_text_symbol(machine, value.symbol)


TEXTS = frozenset({"text", "environment", "builtins.str"})
SPELLING = frozenset({"lower", "upper", "strip", "lstrip", "rstrip", "casefold", "title"})  # methods of texts alone


def is_text_symbol(machine: Machine, symbol: Any) -> bool:
    if not isinstance(symbol, Symbol):
        return type(symbol) is str
    what, *parts = symbol.key
    if is_option(symbol):
        return parts[1] in machine.facts.get(TEXT_OPTIONS, ())
    if what == "item" and isinstance(parts[0], Symbol) and is_option(parts[0]):
        return parts[0].key[2] in machine.facts.get(LISTS_OF_TEXTS, ())
    if what == "op +":
        return any(is_text_symbol(machine, part) for part in parts)
    if what == "phi":  # `os.environ.get("RUN") or "baseline"`
        return all(is_text_symbol(machine, part) for part in parts[1:])
    if what == "call":
        method = parts[0].key if isinstance(parts[0], Symbol) else ()
        return len(parts) == 1 and method[:1] == ("attr",) and method[-1] in SPELLING
    return what in TEXTS


def is_whole(machine: Machine, value: Value) -> bool:
    """An option that the parser makes a whole number of, if somebody gives it."""
    return is_given(value) and value.symbol.key[2] in machine.facts.get(WHOLE_OPTIONS, ())  # type: ignore[attr-defined]


def is_number(machine: Machine, symbol: Symbol) -> bool:
    """An option that holds one number, as the command line gives it: `args.rate`, `FLAGS.rate`, `RATE.value`."""
    what, *parts = symbol.key
    known = machine.facts.get(NUMBER_OPTIONS)
    if what != "attr" or not known or not isinstance(parts[0], Symbol):
        return False
    holder, name = parts[0].key, parts[1]
    if name == "value":  # what `DEFINE_float` gives
        row = machine.knowledge.api(holder[0]) if isinstance(holder[0], str) and len(holder) > 1 else None
        return row is not None and row.model == "option_flag" and holder[1] in known
    return holder[0] in (PARSED, FLAGS) and name in known


def same_parser(machine: Machine, call: Invocation) -> Value | None:
    """`parser.add_argument_group()`: what is added to it is an option like the others."""
    return call.receiver


def more(machine: Machine, call: Invocation) -> Value | None:
    """Options that come in another way than one by one."""
    if isinstance(call.receiver, Object):
        machine.facts.setdefault(MORE, set()).add(call.receiver.number)
    return None


def commands(machine: Machine, call: Invocation) -> Value:
    """`parser.add_subparsers()`: a parser for each command, with options of its own."""
    more(machine, call)
    made = machine.new(COMMANDS, call.mask)
    made.facts[PARSER] = call.receiver
    return made


def command(machine: Machine, call: Invocation) -> Value | None:
    """`commands.add_parser("train")`: what is added to it stands among the options if that command is given."""
    parser: Value | None = call.receiver.facts.get(PARSER) if isinstance(call.receiver, Object) else None
    return parser


def handlers(machine: Machine, call: Invocation) -> Value | None:
    """`train.set_defaults(run=train_model)`: which function is called depends on the command that is given."""
    for name, value in call.keywords:
        if name is not None and isinstance(value, FunctionRef | Bound | ClassRef):
            machine.facts.setdefault(HANDLERS, {}).setdefault(name, []).append(value)
    return more(machine, call)


def handed_over(machine: Machine, call: Invocation) -> None:
    """A library that is given the parser adds options of its own."""
    for value in call.values:
        if isinstance(value, Object) and value.kind == PARSER:
            machine.facts.setdefault(MORE, set()).add(value.number)


def made(machine: Machine, call: Invocation) -> Value:
    parser = machine.new(PARSER, call.mask)
    if call.get("parents") is not None or any(name is None for name, _ in call.keywords):
        machine.facts.setdefault(MORE, set()).add(parser.number)
    return parser


def parsed_some(machine: Machine, call: Invocation) -> Value:
    """`parse_known_args()`: the options, and the rest"""
    parser = token(call.receiver) if call.receiver is not None else None
    return Tuple((machine.unknown(PARSED, parser), machine.unknown("arguments left", parser)))


def parser_of(given: Value) -> int | None:
    """The number of the parser that these options come from."""
    if not isinstance(given, Unknown) or given.symbol.key[0] != PARSED or len(given.symbol.key) < 2:
        return None
    parser = given.symbol.key[1]
    return parser[1] if isinstance(parser, tuple) and parser[0] == "object" else None


def lacks(machine: Machine, given: Value, name: str) -> bool:
    """Is it certain that the options have none of this name?"""
    names = known(machine, given)
    if not isinstance(given, Unknown) or not names or parser_of(given) in machine.facts.get(MORE, ()):
        return False
    return name not in names and written.read(machine, given, name) is None


def known(machine: Machine, given: Value) -> set[str]:
    """The names that are known to be among these options."""
    number = parser_of(given)
    return machine.facts.get(OPTIONS, {}).get(number, set()) if number is not None else set()


def spread(machine: Machine, given: Value | None, name: str, mask: int) -> Value | None:
    """`make(**vars(options))`: what the parameter of this name is given, where there is an option of that name, or the
    program has put something there. Who takes a `rank` may mean that of a matrix, as long as nobody has done that."""
    found = written.read(machine, given, name) if isinstance(given, Unknown) else None
    if found is not None or not isinstance(given, Unknown) or parser_of(given) is None:
        return found
    names = known(machine, given)
    if name not in names and "" in names:  # a loop has added options whose names nobody knows
        return machine.unknown("option", given.symbol, name)
    return option(machine, given, name, mask) if name in names else None


MODELS: dict[str, Any] = {
    "option_default": option_default,
    "option_flag": flag,
    "option_group": same_parser,
    "options_commands": commands,
    "options_command": command,
    "options_handlers": handlers,
    "parser": made,
    "options_parsed": parsed_some,
}
