"""Which findings does a comment ask to be silent about?

    barrier()  # dtlint: ignore[DT101] -- every rank gets here
    # dtlint: ignore[DT101, guarded-collective]     (alone on its line: for the next line of code)
    # dtlint: ignore-file[DT108] -- reason          (anywhere: for the whole file)

Without brackets every code is meant. Only real comments count, so a string that quotes one does nothing.
"""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass

MARK = "dtlint"

_DIRECTIVE = re.compile(
    r"#\s*dtlint(?P<colon>:)?\s*(?P<verb>[\w-]+)\s*(?P<brackets>\[(?P<codes>[^\]#]*)(?P<close>\])?)?\s*(?P<rest>[^#]*)",
    re.IGNORECASE,
)
_REASON = re.compile(r"^(?:--+|:|—|–)\s*(?P<reason>.*?)\s*$")
_LINE_VERBS = ("ignore", "ignore-next-line")
_FILE_VERBS = ("ignore-file",)
_VERBS = _LINE_VERBS + _FILE_VERBS


@dataclass(frozen=True, slots=True)
class Suppression:
    """`codes` as written (codes or slugs), empty for all. `target` is the line it speaks for, 0 for the file."""

    line: int
    column: int
    target: int
    codes: tuple[str, ...]
    reason: str

    def covers(self, line: int, code: str, slug: str = "") -> bool:
        if self.target and self.target != line:
            return False
        return not self.codes or any(_matches(written, code, slug) for written in self.codes)


@dataclass(frozen=True, slots=True)
class Malformed:
    """A comment that means to be a suppression and is none."""

    line: int
    column: int
    reason: str


@dataclass(frozen=True, slots=True)
class Suppressions:
    found: tuple[Suppression, ...] = ()
    malformed: tuple[Malformed, ...] = ()

    def find(self, line: int, code: str, slug: str = "") -> Suppression | None:
        """The nearest comment that covers a finding; one on its line before one for the file."""
        for suppression in sorted(self.found, key=lambda item: item.target == 0):
            if suppression.covers(line, code, slug):
                return suppression
        return None


def _matches(written: str, code: str, slug: str) -> bool:
    """`DT101`, `dt101`, a slug, or a family (`DT1` for DT101)."""
    written = written.lower()
    return written in (code.lower(), slug.lower()) or bool(
        re.fullmatch(r"dt\d{0,2}", written) and code.lower().startswith(written)
    )


def suppressions(text: str) -> Suppressions:
    if MARK not in text.lower():
        return Suppressions()
    found: list[Suppression] = []
    malformed: list[Malformed] = []
    lines = text.split("\n")
    for line, column, comment in _comments(text, lines):
        for match in _DIRECTIVE.finditer(comment):
            here = column + match.start()
            if match.group("colon") is None and match.group("verb").lower() not in _VERBS:
                continue  # a sentence about dtlint
            parsed = _parse(match, line, here, lines)
            if isinstance(parsed, Malformed):
                malformed.append(parsed)
            else:
                found.append(parsed)
    return Suppressions(tuple(found), tuple(malformed))


def _parse(match: re.Match[str], line: int, column: int, lines: list[str]) -> Suppression | Malformed:
    verb = match.group("verb").lower()
    if match.group("colon") is None:
        return Malformed(line, column, f"a colon is missing: `# dtlint: {verb}`")
    if verb not in _VERBS:
        return Malformed(line, column, f"unknown directive `{verb}`; use `ignore[CODE]` or `ignore-file[CODE]`")
    codes: tuple[str, ...] = ()
    if match.group("brackets") is not None:
        if match.group("close") is None:
            return Malformed(line, column, "the list of codes is not closed by `]`")
        codes = tuple(code.strip() for code in match.group("codes").split(",") if code.strip())
        if not codes:
            return Malformed(line, column, "the list of codes is empty")
    rest = match.group("rest").strip()
    reason = _REASON.match(rest)
    if rest and reason is None:
        return Malformed(line, column, "a reason is written behind `--`")
    target = 0
    if verb in _LINE_VERBS:
        alone = not lines[line - 1][: column - 1].strip()
        target = _next_code_line(lines, line) if alone or verb == "ignore-next-line" else line
    return Suppression(line, column, target, codes, reason.group("reason") if reason else "")


def _next_code_line(lines: list[str], line: int) -> int:
    """The line after a comment, past further comments and blank lines."""
    for number in range(line + 1, len(lines) + 1):
        content = lines[number - 1].strip()
        if content and not content.startswith("#"):
            return number
    return line


def _comments(text: str, lines: list[str]) -> list[tuple[int, int, str]]:
    """(line, column, comment) of the comments that carry the mark."""
    found: list[tuple[int, int, str]] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and MARK in token.string.lower():
                found.append((token.start[0], token.start[1] + 1, token.string))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return _loose_comments(lines)  # the file cannot be tokenized; what it asks for still counts
    return found


def _loose_comments(lines: list[str]) -> list[tuple[int, int, str]]:
    found = []
    for number, line in enumerate(lines, 1):
        match = _DIRECTIVE.search(line)
        if match:
            found.append((number, match.start() + 1, line[match.start() :]))
    return found
