"""What does a word of a shell script expand to, as far as that can be known without running anything?

A value is text in which every part that only the running shell knows is a marker (see `shell_words`). Nothing is
executed: `$(…)` is a marker unless it is plain arithmetic or an `echo` of known words.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from dtlint.launch.shell_words import CLOSE, JOINED, OPEN, part_end, tokens

NAME = re.compile(r"[A-Za-z_]\w*")
BRACED = re.compile(r"\{([A-Za-z_]\w*|\d+|[@*#?$!-])(\[[^\]]*\])?(?:(:?[-=+?])(.*))?\}\Z", re.DOTALL)
SPECIAL = re.compile(f"[\\\\'\"`${OPEN}]")
PLAIN = re.compile(f"[^\\\\'\"`${OPEN}]+")
MARKER = re.compile(f"{OPEN}([^{CLOSE}]*){CLOSE}")
FIELD_PART = re.compile(
    f"{OPEN}[^{CLOSE}]*{CLOSE}|(?P<blank>[ \\t\\r\\n{JOINED}]+)|[^ \\t\\r\\n{JOINED}{OPEN}]+|.", re.DOTALL
)
LONGEST = 50_000  # letters of one word; a variable that doubles itself must not fill the memory
GIVEN = "@"  # the name under which a scope holds the arguments of the function that is being run
MOST = 9  # positional parameters that have names of one digit
OWN_FOLDER = re.compile(
    r"dirname|BASH_SOURCE|\$\{?0\b|SLURM_SUBMIT_DIR|\$\{?PWD\b|\$\(pwd\)"
)  # where the script itself lies
EACH_NODE = "@"  # first letter of a marker's source when it was expanded by a shell that runs once per node


@dataclass(frozen=True, slots=True)
class Word:
    """One expanded word; `line` is where its text was written, `used` where it was expanded."""

    text: str
    line: int
    quoted: bool = False

    @property
    def known(self) -> bool:
        return OPEN not in self.text

    @property
    def spreads(self) -> bool:
        """May this stand for any number of words (`$ARGS`, `"$@"`, all unknown)?"""
        return not self.quoted and MARKER.fullmatch(self.text) is not None


@dataclass(slots=True)
class Scope:
    """What the variables hold here. `each_node`: this shell runs once on every node. `beside` finds another script by
    the name that this one has for it: the path to show, and the text. `elsewhere` is where a variable is written that
    another script, which this one reads, gives a value."""

    values: dict[str, tuple[Word, ...]] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)
    each_node: bool = False
    beside: Callable[[str], tuple[str, str] | None] = lambda name: None
    elsewhere: dict[str, tuple[str, int]] = field(default_factory=dict)

    def copy(self) -> Scope:
        return Scope(dict(self.values), set(self.exported), self.each_node, self.beside, dict(self.elsewhere))

    def script(self, name: str) -> tuple[str, str] | None:
        """A script that is named by a known path, or beside `$(dirname "$0")` and its like."""
        start, _, rest = name.rpartition(CLOSE)
        if start and not (rest.startswith("/") and OWN_FOLDER.search(shown(start + CLOSE))):
            return None
        return self.beside(rest.lstrip("/") if start else rest)

    def give(self, words: tuple[Word, ...]) -> None:
        """The positional parameters, as far as it is known which word is which."""
        certain = 0
        while certain < len(words) and not words[certain].spreads:
            certain += 1
        whole = certain == len(words)
        self.values.pop(GIVEN, None)
        if whole:
            self.values[GIVEN] = words
        for number in range(1, MOST + 1):
            self.values.pop(str(number), None)
            if number <= certain:
                self.values[str(number)] = (words[number - 1],)
            elif whole:
                self.values[str(number)] = ()

    def shift(self, by: tuple[Word, ...]) -> None:
        words = self.values.get(GIVEN)
        count = by[0].text if by else "1"
        self.give(words[int(count) :] if words is not None and count.isdigit() else (Word(marker("$@"), 0),))

    def own(self) -> Scope:
        """The same without positional parameters: those of another script."""
        made = self.copy()
        for name in (GIVEN, *map(str, range(1, MOST + 1))):
            made.values.pop(name, None)
        return made

    def forget_changes_of(self, branch: Scope) -> None:
        """After a branch that may or may not have run, what it assigned is no longer known."""
        self.exported |= branch.exported
        for name, words in branch.values.items():
            before = self.values.get(name)
            if before is None or [word.text for word in before] != [word.text for word in words]:
                self.values[name] = (Word(marker(f"${name}"), words[0].line if words else 0),)


def marker(source: str) -> str:
    """A part whose value is unknown; markers inside `source` are flattened."""
    return OPEN + source.replace(OPEN, "").replace(CLOSE, "").replace(JOINED, " ") + CLOSE


def known(text: str) -> bool:
    return OPEN not in text


def shown(text: str) -> str:
    """The text as a person wrote it."""
    return MARKER.sub(lambda match: match[1].removeprefix(EACH_NODE), text).replace(JOINED, " ")


def unknown_sources(text: str) -> list[str]:
    return [match[1] for match in MARKER.finditer(text)]


def fallback(text: str) -> str | None:
    """`localhost` for a value like `${ADDRESS:-localhost}` or `$(… || echo localhost)`, else None."""
    for source in unknown_sources(text):
        source = source.removeprefix(EACH_NODE)
        if match := BRACED.match(source.removeprefix("$")):
            if match[3] in (":-", "-"):
                return match[4].strip("\"'")
        elif match := re.search(r"\|\|\s*echo\s+[\"']?([^\s\"')]+)[\"']?\s*\)$", source):
            return match[1]
    return None


class _Words:
    """The words being put together while one raw word is read from left to right."""

    def __init__(self, line: int) -> None:
        self.done: list[Word] = []
        self.line = line
        self.clear()

    def clear(self) -> None:
        self.text, self.begun, self.quoted, self.at = "", False, False, 0

    def add(self, text: str, line: int = 0, quoted: bool = False) -> None:
        if not self.text and line:
            self.at = line
        self.text += text
        self.begun = True
        self.quoted |= quoted

    def end(self) -> None:
        if self.begun:
            self.done.append(Word(self.text[:LONGEST], self.at or self.line, self.quoted))
        self.clear()


def expand(raw: str, line: int, scope: Scope) -> list[Word]:
    """The words that `raw` becomes; usually one, none or several where an unquoted value is split."""
    if not SPECIAL.search(raw):
        return [Word(raw, line)]
    words = _Words(line)
    position = 0
    while position < len(raw):
        if plain := PLAIN.match(raw, position):
            words.add(plain[0])
            position = plain.end()
            continue
        end = min(part_end(raw, position, line), len(raw))
        piece = raw[position:end]
        position = end
        if piece[0] == '"' or piece.startswith('$"'):
            inside = piece[piece.index('"') + 1 : -1]
            items = _elements(inside, scope)
            if items is None:
                text, origin = expand_quoted(inside, line, scope)
                words.add(text, origin, inside not in ("$@", "${@}") and "[@]" not in inside)
                continue
            for number, item in enumerate(items):  # "${ARGS[@]}": every element stays a word
                if number:
                    words.end()
                words.add(item.text, item.line, True)
        elif piece[0] == "'":
            words.add(piece[1:-1], quoted=True)
        elif piece.startswith("$'"):
            words.add(piece[2:-1], quoted=True)
        elif piece[0] == "\\":
            words.add("" if piece[1:] == "\n" else piece[1:])
        elif piece[0] in "$`":
            values = _elements(piece, scope)
            if values is None:
                values = (Word(_value(piece, line, scope), _origin(piece, scope)),)
            for number, item in enumerate(values):
                if number:
                    words.end()
                for count, (part, below) in enumerate(split_fields(item.text)):
                    if count:
                        words.end()
                    words.add(part, item.line + below if item.line else 0)
        else:
            words.add(piece)
    words.end()
    return words.done


def split_fields(text: str) -> list[tuple[str, int]]:
    """Split at white space outside markers; each field with the number of lines before it."""
    fields: list[tuple[str, int]] = []
    current, rows, at = "", 0, 0
    for match in FIELD_PART.finditer(text):
        part = match[0]
        if match.lastgroup == "blank":
            if current:
                fields.append((current, at))
                current = ""
            rows += part.count("\n") + part.count(JOINED)
        else:
            if not current:
                at = rows
            current += part
    if current:
        fields.append((current, at))
    return fields


def expand_quoted(inside: str, line: int, scope: Scope) -> tuple[str, int]:
    """The text between double quotes, and the line it was written on when it is one variable (else 0)."""
    text = ""
    position = 0
    origin = 0
    while position < len(inside):
        letter = inside[position]
        if letter == "\\":
            follower = inside[position + 1 : position + 2]
            if follower == "\n":
                text += JOINED
            elif follower in '$`"\\':
                text += follower
            else:
                text += "\\" + follower
            position += 2
        elif letter in "$`" + OPEN:
            end = part_end(inside, position, line)
            piece = inside[position:end]
            text += _value(piece, line, scope) if letter != OPEN else piece
            if piece == inside:
                origin = _origin(piece, scope)
            position = end
        else:
            text += letter
            position += 1
    return text, origin


def _origin(piece: str, scope: Scope) -> int:
    """The line on which the variable in `$NAME` or `${NAME}` was given its value, else 0."""
    match = re.fullmatch(r"\$\{?(\w+)\}?", piece)
    words = scope.values.get(match[1]) if match else None
    return words[0].line if words else 0


def _elements(piece: str, scope: Scope) -> tuple[Word, ...] | None:
    """The elements of `${NAME[@]}`, when they are known."""
    if piece in ("$@", "${@}", "$*", "${*}"):
        return scope.values.get(GIVEN)
    match = re.fullmatch(r"\$\{(\w+)\[[@*]\]\}", piece)
    return scope.values.get(match[1]) if match else None


def _value(piece: str, line: int, scope: Scope) -> str:
    """The text of one `$…` or `` `…` `` expansion."""
    if piece.startswith("$(("):
        result = arithmetic(piece[3:-2], scope)
        return marker(piece) if result is None else str(result)
    if piece.startswith("$(") or piece[0] == "`":
        return _substitution(piece, line, scope)
    if piece.startswith("${"):
        return _braced(piece, line, scope)
    name = piece[1:]
    if not NAME.fullmatch(name) and not name.isdigit():
        return piece if piece == "$" else marker(piece)
    return _lookup(name, piece, scope)


def _lookup(name: str, piece: str, scope: Scope) -> str:
    words = scope.values.get(name)
    if words is None:
        return marker((EACH_NODE if scope.each_node else "") + piece)
    return words[0].text if words else ""


def _braced(piece: str, line: int, scope: Scope) -> str:
    if counted := re.fullmatch(r"\$\{#(\w+)\[[@*]\]\}", piece):
        elements = scope.values.get(counted[1])
        return marker(piece) if elements is None or any(word.spreads for word in elements) else str(len(elements))
    match = BRACED.match(piece[1:])
    if match is None:
        return marker(piece)
    name, subscript, action, default = match.groups()
    if subscript in ("[@]", "[*]") and name in scope.values and not action:
        return " ".join(word.text for word in scope.values[name])
    if subscript:
        words = scope.values.get(name, ())
        if subscript[1:-1].isdigit() and int(subscript[1:-1]) < len(words):
            return words[int(subscript[1:-1])].text
        return marker(piece)
    if name in scope.values:
        value = _lookup(name, piece, scope)
        if action in (":-", ":=") and not value:
            return expand_quoted(default.strip("\"'"), line, scope)[0]
        if action in (":+", "+"):
            return expand_quoted(default.strip("\"'"), line, scope)[0] if value else ""
        return value
    if action in (":-", ":=", "-", "="):
        text = expand_quoted(default.strip("\"'"), line, scope)[0]
        return marker("${" + name + ":-" + text + "}") if known(text) else marker(piece)
    return marker((EACH_NODE if scope.each_node else "") + piece)


def _substitution(piece: str, line: int, scope: Scope) -> str:
    inside = (piece[1:-1] if piece[0] == "`" else piece[2:-1]).strip()
    words = inside.split()
    if words[:1] == ["expr"]:
        result = arithmetic(inside[4:].replace("\\*", "*"), scope)
        if result is not None:
            return str(result)
    if words[:1] == ["echo"] and not re.search(r"[|;&<>]", inside):
        found = [word for raw in _raw_words(inside) for word in expand(raw, line, scope)][1:]
        if found and all(word.known for word in found):
            return " ".join(word.text for word in found)
    return marker((EACH_NODE if scope.each_node else "") + piece)


def _raw_words(text: str) -> Iterator[str]:
    return (token.text for token in tokens(text) if token.kind == "word")


OPERATIONS: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def arithmetic(text: str, scope: Scope) -> int | None:
    """The value of an arithmetic expression over known whole numbers."""

    def number(match: re.Match[str]) -> str:
        words = scope.values.get(match[1])
        return words[0].text if words else "?"

    plain = re.sub(r"\$?\{?([A-Za-z_]\w*)\}?", number, text).strip()
    if not plain or len(plain) > 200 or not re.fullmatch(r"[\d\s()+*/%-]+", plain):
        return None
    plain = re.sub(r"\b0+(?=\d)", "", plain)
    try:
        return _evaluate(ast.parse(plain.replace("/", "//"), mode="eval").body)
    except (SyntaxError, ZeroDivisionError, ValueError, RecursionError):
        return None


def _evaluate(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        return OPERATIONS[type(node.op)](_evaluate(node.left), _evaluate(node.right))
    raise ValueError("not arithmetic")
