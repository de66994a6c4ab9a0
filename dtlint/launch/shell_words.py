"""Which words and operators does a shell script consist of, and on which line does each stand?

Text that came out of an expansion may hold *markers*: `OPEN … CLOSE` encloses the source of a part whose value
nobody can know here (`$1`, `$(hostname)`), and `JOINED` stands for a continued line inside double quotes, so that
a command line handed on as one string (`bash -c "…"`) still knows its lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

OPEN, CLOSE, JOINED = "\ue000", "\ue001", "\ue002"
BLANK = " \t\r" + JOINED
OPERATOR = re.compile(r"&&|\|\||;;&|;;|;&|\|&|[;&|()]")
PLAIN = re.compile(f"[^ \\t\\r\\n;&|<>()\\\\'\"`${OPEN}{JOINED}]+")  # letters that mean only themselves
REDIRECTION = re.compile(r"(?:\{\w+\}|\d*)(?:<<<|<<-?|<>|<&|>&|>>|>\||&>>|&>|<|>)")
BLANK_TO_FILL = re.compile(r"<[A-Za-z][\w '.-]*(?<![ .])>(?![\w.])")  # `--zone=<your zone>`, not `<in >out`
VARIABLE = re.compile(r"[A-Za-z_]\w*")
ARRAY = re.compile(r"[A-Za-z_]\w*\+?=\(")


class ShellProblem(Exception):
    """A quote or a bracket that is never closed."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


@dataclass(slots=True)
class Token:
    """kind: "word", "operator", "newline" or "heredoc" (the body of the nearest `<<` before it)."""

    kind: str
    text: str
    line: int
    quoted: bool = False  # a here-document whose delimiter was quoted is not expanded


def tokens(text: str, line: int = 1) -> Iterator[Token]:
    """The tokens of `text`, whose first line has the number `line`."""
    start = 0
    waiting: list[tuple[str, bool, bool]] = []  # here-documents announced on this line
    counted, count = 0, line
    size = len(text)
    while start < size:
        count += text.count("\n", counted, start) + text.count(JOINED, counted, start)
        counted = start
        letter = text[start]
        if letter in BLANK:
            start += 1
        elif letter == "\\" and text[start + 1 : start + 2] == "\n":
            start += 2
        elif letter == "\\" and text[start + 1 : start + 3] == "\r\n":
            start += 3
        elif letter == "#":
            end = text.find("\n", start)
            start = size if end < 0 else end
        elif letter == "\n":
            yield Token("newline", "\n", count)
            start += 1
            for delimiter, quoted, dashed in waiting:
                body, start = _heredoc(text, start, delimiter, dashed)
                body_line = line + text.count("\n", 0, start) - body.count("\n") - 1
                yield Token("heredoc", body, body_line, quoted)
            waiting.clear()
        elif (match := REDIRECTION.match(text, start)) and not BLANK_TO_FILL.match(text, start):
            start = match.end()
            while start < size and text[start] in BLANK:
                start += 1
            end = word_end(text, start, count)
            target = text[start:end]
            start = end
            if match[0].lstrip("0123456789") in ("<<", "<<-"):
                bare = re.sub(r"[\"'\\]", "", target)
                waiting.append((bare, bare != target, match[0].endswith("-")))
        else:
            operator = OPERATOR.match(text, start)
            if operator:
                yield Token("operator", operator[0], count)
                start = operator.end()
            else:
                end = word_end(text, start, count)
                yield Token("word", text[start:end], count)
                start = max(end, start + 1)


def _heredoc(text: str, start: int, delimiter: str, dashed: bool) -> tuple[str, int]:
    position = start
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        row = text[position:end].rstrip("\r")
        if (row.lstrip("\t") if dashed else row) == delimiter:
            return text[start:position], min(end + 1, len(text))
        position = end + 1
    return text[start:], len(text)


def word_end(text: str, start: int, line: int) -> int:
    """Where the word that begins at `start` ends; quotes, expansions and array literals belong to it."""
    array = ARRAY.match(text, start)
    if array:
        return closing(text, array.end(), ")", line)
    position = start
    while position < len(text):
        if plain := PLAIN.match(text, position):
            position = plain.end()
            if position == len(text):
                break
        letter = text[position]
        if letter == "<" and (blank := BLANK_TO_FILL.match(text, position)):
            position = blank.end()  # who copies the line writes a word there
            continue
        if letter in " \t\r\n;&|<>()" or letter == JOINED:
            if (
                letter == "("
                and position > start
                and text[position - 1] in "@?*+!"
                and "\n" not in text[start:position]
            ):
                position = closing(text, position + 1, ")", line)  # an extended glob
                continue
            break
        position = part_end(text, position, line)
    return position


def part_end(text: str, position: int, line: int) -> int:
    """Where the smallest part of a word (a letter, a quoted string, an expansion) that begins here ends."""
    letter = text[position]
    if letter == "\\":
        return position + 2
    if letter == OPEN:
        end = text.find(CLOSE, position)
        return len(text) if end < 0 else end + 1
    if letter == "'":
        return _through(text, position + 1, "'", line)
    if letter == '"':
        return _double(text, position + 1, line)
    if letter == "`":
        return _backquote(text, position + 1, line)
    if letter == "$":
        follower = text[position + 1 : position + 2]
        if text.startswith("((", position + 1):
            end = closing(text, position + 3, ")", line)
            return end + 1 if text[end : end + 1] == ")" else end
        if follower == "(":
            return closing(text, position + 2, ")", line)
        if follower == "{":
            return closing(text, position + 2, "}", line)
        if follower == "'":
            return _escaped(text, position + 2, line)
        if follower and follower in "@*#?$!-0123456789":
            return position + 2
        if name := VARIABLE.match(text, position + 1):
            return name.end()
        if follower == '"':
            return _double(text, position + 2, line)
    return position + 1


def _through(text: str, start: int, closer: str, line: int) -> int:
    end = text.find(closer, start)
    if end < 0:
        raise ShellProblem(line, f"a {closer} is never closed")
    return end + 1


def _escaped(text: str, position: int, line: int) -> int:
    while position < len(text):
        if text[position] == "'":
            return position + 1
        position += 2 if text[position] == "\\" else 1
    raise ShellProblem(line, "a $' is never closed")


def _double(text: str, position: int, line: int) -> int:
    while position < len(text):
        letter = text[position]
        if letter == '"':
            return position + 1
        alone = text.startswith('$"', position)  # `"^$dir$"` ends with a dollar
        special = letter in "\\`$" + OPEN and not alone
        position = part_end(text, position, line) if special else position + 1
    raise ShellProblem(line, 'a " is never closed')


def _backquote(text: str, position: int, line: int) -> int:
    while position < len(text):
        if text[position] == "`":
            return position + 1
        position += 2 if text[position] == "\\" else 1
    raise ShellProblem(line, "a ` is never closed")


def closing(text: str, position: int, closer: str, line: int) -> int:
    """The position after the bracket that closes the one just before `position`."""
    opener = {")": "(", "}": "{"}[closer]
    depth = 1
    begins_word = True
    while position < len(text):
        letter = text[position]
        if letter == closer:
            depth -= 1
            if depth == 0:
                return position + 1
            position += 1
        elif letter == opener and closer == ")":
            depth += 1
            position += 1
        elif letter == "#" and begins_word and closer == ")":
            end = text.find("\n", position)
            position = len(text) if end < 0 else end
        elif letter in "\\'\"`$" + OPEN and not (letter == "'" and closer == "}"):
            position = part_end(text, position, line)
        else:
            position += 1
        begins_word = letter in " \t\n;"
    raise ShellProblem(line, f"a {opener} is never closed")
