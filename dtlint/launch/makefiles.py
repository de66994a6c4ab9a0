"""What would a shell be given by this Makefile? A script of as many lines: a function for each rule, with its recipe.

Variables of make are put in as they are written, since the shell reads a recipe with their values in it. One that may
be given from outside (`NODES ?= 4`) is written as the shell writes such a thing, `${NODES:-4}`; what no line assigns,
or only some arm of a condition, is left to be unknown, and so is whatever a function of make would answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

NAMES = ("makefile", "gnumakefile")
SUFFIX = ".mk"
ASSIGNED = re.compile(
    r"(?:(?:override|private)\s+)*(?P<exported>export\s+)?(?P<name>[\w.-]+)\s*(?P<sign>[?+!]?=|:{1,3}=)\s*(?P<value>.*)\Z",
    re.DOTALL,
)
RULE = re.compile(r"(?P<targets>[^\s:=#][^:=#]*?)\s*::?(?!=)\s*(?P<rest>.*)\Z", re.DOTALL)
CONDITION = re.compile(r"\s*(ifeq|ifneq|ifdef|ifndef|else|endif)\b")
DEFINITION = re.compile(r"\s*(define|endef)\b")
NAMED = re.compile(r"[\w.-]+")
TELLS = ("@", "-", "+")  # how to run a command: unshown, minding no failure, and when nothing is to be done
NESTED = 8  # a variable in a variable in a variable …
UNKNOWN = "${_}"  # nothing that a script assigns


FORMS = (SUFFIX, "Makefile", "makefile", "GNUmakefile")  # how the names end, as git is asked for them


def is_makefile(path: str) -> bool:
    name = PurePosixPath(path).name.lower()
    return name in NAMES or name.endswith(SUFFIX)


@dataclass(slots=True)
class _Maker:
    values: dict[str, str] = field(default_factory=dict)  # as make keeps them: `$$` is a `$` for the shell
    target: str = ""  # of the rule whose recipe is read
    source: str = ""  # what it is made from
    inside: bool = False  # is a function open?
    conditions: list[bool] = field(default_factory=list)  # of the recipe, or around whole rules?
    defining: bool = False
    rules: int = 0

    def line(self, text: str, following: str) -> str:
        """The line of the script for one line of the Makefile, its continuations included."""
        if DEFINITION.match(text) or self.defining:
            self.defining = not re.match(r"\s*endef\b", text)
            return ""
        if match := CONDITION.match(text):
            return self.condition(match[1], following)
        if text.startswith("\t"):
            return self.command(text) if self.inside else ""
        bare = without_comment(text).strip()
        if not bare:
            return ""
        if match := ASSIGNED.match(bare):
            return self.assign(match)
        if bare.startswith(("export ", "unexport ")):
            names = (name for name in bare.split()[1:] if name in self.values)
            return self.closed() + "; ".join(self.exported(name) for name in names)
        if match := RULE.match(bare):
            return self.rule(match["targets"], match["rest"])
        return self.closed()  # `include`, `vpath` …

    def closed(self) -> str:
        before = "}; " if self.inside else ""
        self.inside = False
        return before

    def rule(self, targets: str, rest: str) -> str:
        if ASSIGNED.match(rest):
            return self.closed()  # holds for this target alone
        needs, _, command = rest.partition(";")
        before = self.closed()
        names, sources = self.put_in(targets).split(), [one for one in self.put_in(needs).split() if one != "|"]
        self.target = names[0] if len(names) == 1 and "%" not in targets else ""
        self.source = sources[0] if sources and "%" not in needs else ""
        self.inside = True
        self.rules += 1
        return f"{before}make_rule_{self.rules}() {{ {self.command(command) if command.strip() else ''}"

    def command(self, text: str) -> str:
        text = text.replace("\\\n\t", "\\\n").lstrip()
        while text.startswith(TELLS):
            text = text[1:].lstrip()
        return self.put_in(text)

    def condition(self, word: str, following: str) -> str:
        """Of a recipe, if lines of one follow; else around rules and assignments."""
        if word.startswith("if"):
            of_recipe = self.inside and following.startswith("\t")
            self.conditions.append(of_recipe)
            return ("" if of_recipe else self.closed()) + f"if {UNKNOWN}; then"
        if not self.conditions:
            return ""
        before = "" if self.conditions[-1] else self.closed()
        if word == "endif":
            self.conditions.pop()
            return before + "fi"
        return before + "else"

    def assign(self, match: re.Match[str]) -> str:
        name, sign, value = match["name"], match["sign"], match["value"].replace("\\\n", " ").strip()
        if self.conditions or sign == "!=":
            self.values.pop(name, None)
        elif sign == "?=":
            self.values.setdefault(name, f"$${{{name}:-{value}}}" if name.isidentifier() else value)
        elif sign == "+=":
            self.values[name] = f"{self.values.get(name, '')} {value}".strip()
        else:
            self.values[name] = value if sign == "=" else self.put_in(value).replace("$", "$$")
        told = match["exported"] is not None and name in self.values
        return self.closed() + (self.exported(name) if told else "")

    def exported(self, name: str) -> str:
        return f'export {name}="{self.value(name, 0)}"' if name.isidentifier() else ""

    def put_in(self, text: str, depth: int = 0) -> str:
        """The text with the values of make's variables in it."""
        return "".join(self.parts(text, depth))

    def parts(self, text: str, depth: int) -> Iterator[str]:
        at = 0
        while (sign := text.find("$", at)) >= 0 and sign + 1 < len(text):
            yield text[at:sign]
            letter = text[sign + 1]
            if letter == "$":
                yield "$"
                at = sign + 2
            elif letter in "({":
                end = closing(text, sign + 1)
                yield self.value(text[sign + 2 : end - 1], depth)
                at = end
            else:
                yield {"@": self.target, "<": self.source}.get(letter, "") or self.values.get(letter, UNKNOWN)
                at = sign + 2
        yield text[at:]

    def value(self, inside: str, depth: int) -> str:
        """What `$(…)` stands for."""
        if inside.startswith("shell "):
            return f"$({self.put_in(inside[6:], depth)})"
        if not NAMED.fullmatch(inside):
            return UNKNOWN
        found = self.values.get(inside)
        if found is None:
            return f"${{{inside}}}" if inside.isidentifier() else UNKNOWN
        return self.put_in(found, depth + 1) if depth < NESTED else UNKNOWN


def without_comment(text: str) -> str:
    match = re.search(r"(?<!\\)#", text)
    return text[: match.start()] if match else text


def closing(text: str, start: int) -> int:
    """Behind the bracket that closes the one at `start`."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "({") - (text[at] in ")}")
        if depth == 0:
            return at + 1
    return len(text)


def as_script(text: str) -> str:
    """The Makefile as a shell script, line for line."""
    maker = _Maker()
    rows = text.replace("\r\n", "\n").split("\n")
    made: list[str] = []
    while rows:
        whole = [rows.pop(0)]
        while whole[-1].endswith("\\") and rows:
            whole.append(rows.pop(0))
        following = next((row for row in rows if row.strip()), "")
        script = maker.line("\n".join(whole), following)
        lines = script.split("\n")
        made += [*lines, *[""] * (len(whole) - len(lines))]
    made.append(maker.closed())
    return "\n".join(made)
