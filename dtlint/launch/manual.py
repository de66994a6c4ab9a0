"""Which commands does a manual in Markdown show? What stands in its fences is read as shell, each fence for itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dtlint.launch.model import Launch
from dtlint.launch.project import read_text

SUFFIXES = (".md", ".markdown")
FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[\w+-]*)")
SHELLS = frozenset({"", "bash", "sh", "shell", "console", "zsh", "shellscript", "none", "text"})
PROMPT = re.compile(r"^[ \t]*\$ ")


def shown(path: str, text: str) -> list[Launch]:
    """What the commands of this manual start, with the lines of the manual."""
    return [launch for script in _scripts(text) for launch in read_text(path, script).launches]


def _scripts(text: str) -> Iterator[str]:
    """Every fence as a text of its own, below as many empty lines as there are lines before it."""
    mark, lines = "", [""]
    for number, line in enumerate(text.split("\n")):
        found = FENCE.match(line)
        if not mark and found:
            mark, wanted = found["mark"], found["language"].lower() in SHELLS
            lines = [""] * (number + 1)
        elif mark and found and found["mark"].startswith(mark):
            mark = ""
            if wanted:
                yield "\n".join(lines)
        elif mark:
            lines.append(PROMPT.sub("", line))
