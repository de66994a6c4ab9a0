"""Which commands does a shell script give, with which words, in which circumstances?

The script is read once from top to bottom, and assignments take effect on the way. What is assigned in a branch,
a loop or a function is known inside it and forgotten after it: dtlint then says nothing rather than guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from dtlint.launch.shell_tests import BRACKETS, answer, names
from dtlint.launch.shell_values import Scope, Word, expand, marker
from dtlint.launch.shell_words import ShellProblem, Token, tokens

ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\[[^\]]*\])?(\+?=)")
DEEPEST_CALL = 3
DECLARATIONS = frozenset({"export", "declare", "local", "readonly", "typeset"})


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command. `branch` names the branches it stands in: two commands in different branches of one
    `if` never run together."""

    words: tuple[Word, ...]
    line: int
    scope: Scope
    environment: tuple[tuple[str, Word], ...] = ()  # `NAME=value command`
    branch: tuple[tuple[int, int], ...] = ()
    loops: int = 0
    background: bool = False
    conditional: bool = False
    heredoc: tuple[str, int, bool] | None = None  # text, first line, expanded by this shell
    lost: int = 0  # the line of the options that follow as a command of their own

    @property
    def names(self) -> list[str]:
        return [word.text for word in self.words]


@dataclass(slots=True)
class _Frame:
    """One open `if`, loop, `case`, function, group."""

    kind: str
    number: int
    first: int  # how many commands were known when it was opened
    arm: int = 0
    saved: Scope | None = None
    waits_for_pattern: bool = False
    tests: list[tuple[bool | None, set[str]]] = field(default_factory=list)  # of the condition that is being read
    others: set[str] = field(default_factory=set)  # what an arm before was chosen by
    hidden: dict[str, tuple[Word, ...]] = field(default_factory=dict)  # what is not known in this arm, though before it


@dataclass(slots=True)
class _Function:
    """What a function of the script does; until somebody calls it, its commands stand for themselves."""

    body: list[Token]
    alone: list[Command]


@dataclass(slots=True)
class _Reader:
    scope: Scope
    found: list[Command] = field(default_factory=list)
    frames: list[_Frame] = field(default_factory=list)
    count: int = 0
    after: str = ""  # the operator before the command being read
    last_was_test: bool = False
    functions: dict[str, _Function] = field(default_factory=dict)
    defining: list[tuple[str, int, int, list[Token]]] = field(default_factory=list)  # name, frame, first command, body
    called: set[int] = field(default_factory=set)  # commands of functions that calls have taken the place of
    local: set[str] = field(default_factory=set)
    calls: int = 0  # how many calls of functions this one stands in
    closed: int | None = None  # where the group that has just ended began, for the `&` behind it

    def open(self, kind: str) -> None:
        self.count += 1
        self.frames.append(_Frame(kind, self.count, len(self.found)))

    def open_function(self, name: str) -> None:
        self.open("function")
        self.defining.append((name, self.frames[-1].number, len(self.found), []))

    def define(self, token: Token | None) -> None:
        """One more token of the functions that are being defined; None ends them all."""
        around = {frame.number for frame in self.frames}
        while self.defining and (token is None or self.defining[-1][1] not in around):
            name, _, first, body = self.defining.pop()
            self.functions[name] = _Function(body, self.found[first:])
        for _, _, _, body in self.defining:
            if token is not None:
                body.append(token)

    def left(self) -> list[Command]:
        found = [command for command in self.found if id(command) not in self.called]
        return [_with_lost(command, after) for command, after in zip_longest(found, found[1:])]

    def enter(self) -> None:
        """A new arm of the innermost frame begins."""
        frame = self.frames[-1]
        self.leave()
        frame.arm += 1
        frame.saved = self.scope
        self.scope = self.scope.copy()
        if frame.kind == "if":
            self.meant_for_others(frame)

    def meant_for_others(self, frame: _Frame) -> None:
        """An arm that what the script itself has put into a variable does not lead to is there for those who put
        something else into it: in the arm the variable is not known."""
        if len(frame.tests) == 1:
            came_true, names = frame.tests[0]
            self.hide(frame, names if came_true is False else ())
            frame.others |= names if came_true else set()
        elif not frame.tests:  # `else`
            self.hide(frame, frame.others)
        frame.tests = []

    def hide(self, frame: _Frame, names: Iterable[str]) -> None:
        for name in names:
            if words := self.scope.values.get(name):
                frame.hidden[name] = words
                self.scope.values[name] = (Word(marker(f"${name}"), words[0].line),)

    def leave(self) -> None:
        frame = self.frames[-1]
        if frame.saved is not None:
            if frame.kind == "function":
                for name in self.local:
                    self.scope.values.pop(name, None)
            for name, words in frame.hidden.items():
                if self.scope.values[name][0].text == marker(f"${name}"):
                    self.scope.values[name] = words
            frame.hidden.clear()
            frame.saved.forget_changes_of(self.scope)
            self.scope = frame.saved
            frame.saved = None

    def close(self, *kinds: str) -> None:
        """The innermost frame of one of `kinds` ends, and with it what was left open inside."""
        if not any(frame.kind in kinds for frame in self.frames):
            return
        while True:
            self.leave()
            frame = self.frames.pop()
            if frame.kind in kinds:
                self.closed = frame.first
                return


def _with_lost(command: Command, after: Command | None) -> Command:
    """A backslash in front of a blank escapes the blank: the line ends all the same, and the command with it."""
    last = command.words[-1].text
    if last.isspace() and after is not None and after.words[0].text.startswith("-"):
        return replace(command, lost=after.line)
    return command


def commands(
    text: str, scope: Scope | None = None, line: int = 1, given: tuple[Word, ...] | None = None
) -> list[Command]:
    """All simple commands of `text`. Raises `ShellProblem` when a quote or bracket is never closed."""
    reader = _Reader(scope.own() if scope is not None else Scope())
    if given is not None:
        reader.scope.give(given)
    _read(reader, tokens(text, line))
    return reader.left()


def _read(reader: _Reader, given: Iterable[Token]) -> None:
    current: list[Token] = []

    def finish(after: str) -> None:
        if current:
            _command(reader, current, after == "&")
            current.clear()
        reader.after = after

    for token in given:
        if reader.frames and reader.frames[-1].kind == "function-head" and token.text != ")":
            reader.frames.pop()  # `exec 3< <(command)`: no function, commands in brackets
            finish("(")
            reader.open("(")
            reader.enter()
        reader.define(token)
        frame = reader.frames[-1] if reader.frames else None
        heading = frame is not None and frame.kind in ("for", "case") and frame.arm == 0  # `for x in …`, `case x in`
        if token.kind == "heredoc":
            if reader.found:
                reader.found[-1] = replace(reader.found[-1], heredoc=(token.text, token.line, not token.quoted))
        elif frame is not None and frame.waits_for_pattern:
            if token.text == "esac":
                reader.close("case")
            elif token.text == ")":
                frame.waits_for_pattern = False
                reader.enter()
        elif token.kind == "word":
            if heading and frame is not None and frame.kind == "case" and token.text == "in":
                frame.waits_for_pattern = True
                current.clear()
            elif current or not _keyword(reader, token, heading):
                current.append(token)
        elif token.text == "(":
            if len(current) == 1 and re.fullmatch(r"[\w:.-]+", current[0].text):
                reader.open("function-head")
            else:
                finish("(")
                reader.open("(")
                reader.enter()
        elif token.text == ")":
            if frame is not None and frame.kind == "function-head":
                reader.frames.pop()
                reader.open_function(current[0].text)
                current.clear()
            else:
                finish(")")
                reader.close("(")
        elif token.text in (";;", ";&", ";;&"):
            finish(";")
            if frame is not None and frame.kind == "case":
                reader.leave()
                frame.waits_for_pattern = True
        elif heading and frame is not None and frame.kind == "for":
            _loop_variable(reader, current)
            current.clear()
        else:
            if not current and reader.closed is not None and token.text == "&":
                for number in range(reader.closed, len(reader.found)):
                    reader.found[number] = replace(reader.found[number], background=True)
            finish(token.text)
            if token.text != "|":
                reader.closed = None
    finish(";")
    reader.define(None)


def _keyword(reader: _Reader, token: Token, heading: bool) -> bool:
    """Handle a reserved word at the start of a command; False when it is an ordinary word."""
    word = token.text
    frame = reader.frames[-1] if reader.frames else None
    if heading and word != "do":
        return False
    match word:
        case "if" | "for" | "case":
            reader.open(word)
        case "select":
            reader.open("for")
        case "while" | "until":
            reader.open("while")
        case "then" | "else" | "do" if frame is not None:
            while reader.frames and reader.frames[-1].kind not in ("if", "for", "while"):
                reader.leave()
                reader.frames.pop()
            if reader.frames:
                reader.enter()
        case "elif" if frame is not None and frame.kind == "if":
            reader.leave()
        case "fi":
            reader.close("if")
        case "done":
            reader.close("for", "while")
        case "esac":
            reader.close("case")
        case "{":
            if frame is not None and frame.kind == "function" and frame.arm == 0:
                reader.enter()
            else:
                reader.open("{")
        case "}":
            reader.close("{", "function")
        case "function":
            reader.open("function-name")
        case "!" | "time" | "coproc":
            if word == "!" and frame is not None:
                frame.tests.append((None, set()))
        case _ if frame is not None and frame.kind == "function-name":
            reader.frames.pop()
            reader.open_function(word)
        case _:
            return False
    return True


def _loop_variable(reader: _Reader, words: list[Token]) -> None:
    if words:
        name = words[0].text
        reader.scope.values[name] = (Word(marker(f"${name}"), words[0].line),)


def _command(reader: _Reader, parts: list[Token], background: bool) -> None:
    """Expand one simple command and let its assignments take effect."""
    scope = reader.scope
    conditional = reader.after == "||" or (reader.after == "&&" and reader.last_was_test)
    prefix: list[tuple[str, Word]] = []
    start = 0
    while start < len(parts) and (match := ASSIGNMENT.match(parts[start].text)):
        name, value = _assigned(parts[start], match, scope)
        if len(parts) == 1 or all(ASSIGNMENT.match(part.text) for part in parts):
            _assign(scope, name, value, parts[start].line, conditional)
        else:
            prefix.append((name, value[0] if value else Word("", parts[start].line)))
        start += 1
    reader.last_was_test = start < len(parts) and parts[start].text in BRACKETS
    if start == len(parts):
        return
    head = parts[start].text
    if head in DECLARATIONS:
        exports = head == "export" or any(part.text == "-x" for part in parts)
        if head == "local":
            reader.local.update(part.text.partition("=")[0] for part in parts[start + 1 :])
        for part in parts[start + 1 :]:
            name = part.text
            if match := ASSIGNMENT.match(part.text):
                name, value = _assigned(part, match, scope)
                _assign(scope, name, value, part.line, conditional)
            if exports:
                scope.exported.add(name)
    elif head in ("read", "unset", "mapfile", "readarray", "getopts"):
        for part in parts[start + 1 :]:
            if re.fullmatch(r"[A-Za-z_]\w*", part.text):
                scope.values[part.text] = (Word(marker(f"${part.text}"), part.line),)
    words = tuple(word for part in parts[start:] for word in expand(part.text, part.line, scope))
    if not words:
        return
    if head in ("source", ".") and len(words) > 1:
        _source(reader, words[1], conditional)
    if head == "shift":
        scope.shift(words[1:])
    if reader.frames and reader.frames[-1].kind == "if" and reader.frames[-1].saved is None:
        reader.frames[-1].tests.append((answer(words), names(parts)) if reader.last_was_test else (None, set()))
    made = Command(
        words=words,
        line=words[0].line,
        scope=scope.copy(),
        environment=tuple(prefix),
        branch=tuple((frame.number, frame.arm) for frame in reader.frames if frame.kind in ("if", "case", "function")),
        loops=sum(frame.kind in ("for", "while") and frame.arm > 0 for frame in reader.frames),
        background=background,
        conditional=conditional or any(frame.kind in ("if", "case", "while") for frame in reader.frames),
    )
    function = reader.functions.get(words[0].text)
    if function is None or reader.defining or reader.calls >= DEEPEST_CALL:
        reader.found.append(made)
    else:
        _call(reader, function, made)


def _source(reader: _Reader, name: Word, conditional: bool) -> None:
    """`source settings.sh`: what the other script assigns and defines is from here on known in this one. What it starts
    is told where it stands."""
    found = reader.scope.script(name.text)
    if found is None or reader.calls >= DEEPEST_CALL:
        return
    inside = _Reader(reader.scope.copy(), functions=reader.functions, called=reader.called, count=reader.count)
    inside.calls = reader.calls + 1
    try:
        _read(inside, _moved(reader.scope, *found, name.line))
    except ShellProblem:
        return
    reader.count = inside.count
    if conditional:
        reader.scope.forget_changes_of(inside.scope)
    else:
        reader.scope.values.update(inside.scope.values)
        reader.scope.exported |= inside.scope.exported


def _moved(scope: Scope, path: str, text: str, line: int) -> Iterator[Token]:
    """The tokens of another script, as if they stood in this line."""
    for token in tokens(text):
        if match := ASSIGNMENT.match(token.text):
            scope.elsewhere[match[1]] = (path, token.line)
        yield replace(token, line=line)


def _call(reader: _Reader, function: _Function, call: Command) -> None:
    """The commands of a function, with the arguments of this call; what it assigns stays."""
    reader.called.update(map(id, function.alone))
    inside = _Reader(reader.scope.copy(), functions=reader.functions, called=reader.called, count=reader.count)
    inside.calls = reader.calls + 1
    inside.scope.give(call.words[1:])
    for name, word in call.environment:
        inside.scope.values[name] = (word,)
        inside.scope.exported.add(name)
    _read(inside, function.body)
    reader.count = inside.count
    reader.found += [
        replace(
            command,
            branch=call.branch + command.branch,
            loops=call.loops + command.loops,
            background=call.background or command.background,
            conditional=call.conditional or command.conditional,
        )
        for command in inside.left()
    ]
    after, before = inside.scope.own(), reader.scope
    for name in inside.local | {name for name, _ in call.environment} | set(before.values) - set(after.values):
        if name in before.values:
            after.values[name] = before.values[name]
        else:
            after.values.pop(name, None)
    if call.conditional:
        before.forget_changes_of(after)
    else:
        before.values.update(after.values)
        before.exported |= after.exported


def _assigned(token: Token, match: re.Match[str], scope: Scope) -> tuple[str, tuple[Word, ...]]:
    """The name and the words that an assignment gives it."""
    name, subscript, sign = match.groups()
    raw = token.text[match.end() :]
    value: tuple[Word, ...]
    if subscript:
        return name, (Word(marker(f"${name}"), token.line),)
    if raw.startswith("(") and raw.endswith(")"):
        inner = (item for item in tokens(raw[1:-1], token.line) if item.kind == "word")
        value = tuple(word for item in inner for word in expand(item.text, item.line, scope))
        return name, (*scope.values.get(name, ()), *value) if sign == "+=" else value
    # The value of an assignment is not split into words: expand it as if it stood between quotes.
    value = tuple(_joined(raw, token.line, scope))
    if sign == "+=" and (before := scope.values.get(name)):
        first = value[0].text if value else ""
        value = (Word(before[0].text + first, before[0].line),)
    return name, value


def _joined(raw: str, line: int, scope: Scope) -> Iterator[Word]:
    words = expand(raw, line, scope)
    yield Word(" ".join(word.text for word in words), line)


def _assign(scope: Scope, name: str, value: tuple[Word, ...], line: int, conditional: bool) -> None:
    scope.elsewhere.pop(name, None)
    scope.values[name] = (Word(marker(f"${name}"), line),) if conditional else value
