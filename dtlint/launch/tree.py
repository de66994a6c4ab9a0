"""What does a YAML or JSON file say, and on which line does each part stand?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from dtlint.source.text import Incomplete

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
STRING_OR_TAB = re.compile(r'"(?:\\.|[^"\\])*"|\t')
TEMPLATE = re.compile(
    r"\{\{.*?\}\}|\{%.*?%\}|[:,\[]\s*(?:[A-Z][A-Z0-9_]{2,}|<[\w -]+>|\$\{?\w+\}?)\s*[,}\]\n]", re.DOTALL
)
DEEPEST = 200


@dataclass(frozen=True, slots=True)
class Tree:
    """One value with its line. `value`: dict of str to Tree, list of Tree, or a plain scalar."""

    value: Any
    line: int
    style: str | None = None  # "|" for a block of text: its content begins on the next line
    folded: str | None = None  # the same text as a shell reads it, with the line breaks that YAML turned into blanks

    def get(self, *path: str) -> Tree | None:
        """The part at `path`, None when a step is missing."""
        here: Tree | None = self
        for name in path:
            here = here.value.get(name) if here is not None and isinstance(here.value, dict) else None
        return here

    def items(self) -> Iterator[tuple[str, Tree]]:
        return iter(self.value.items() if isinstance(self.value, dict) else ())

    def elements(self) -> list[Tree]:
        return self.value if isinstance(self.value, list) else []

    @property
    def text(self) -> str | None:
        return self.value if isinstance(self.value, str) else None

    @property
    def number(self) -> int | None:
        if isinstance(self.value, bool):
            return None
        if isinstance(self.value, int):
            return self.value
        return int(self.value) if isinstance(self.value, str) and re.fullmatch(r"\d{1,9}", self.value) else None

    @property
    def script(self) -> tuple[str, int]:
        """The text of a scalar as a shell is given it, and the line it begins on."""
        return self.folded or str(self.value), self.line + (self.style in ("|", ">"))

    def plain(self) -> Any:
        if isinstance(self.value, dict):
            return {key: item.plain() for key, item in self.value.items()}
        return [item.plain() for item in self.value] if isinstance(self.value, list) else self.value


def is_template(text: str) -> bool:
    """Is this what a file is made from (Helm, Jinja, `sed` on PLACEHOLDERS) rather than the file?"""
    return TEMPLATE.search(text) is not None


def read_yaml(path: str, text: str) -> list[Tree] | Incomplete:
    """The documents of a YAML file."""
    try:
        lines = text.splitlines()
        return [_tree(node, {}, 0, lines) for node in yaml.compose_all(text, Loader=LOADER) if node is not None]
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        what = " ".join(part for part in (problem.context, problem.problem) if part)
        return Incomplete(path, mark.line + 1 if mark else 1, f"not valid YAML: {what}")
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        return Incomplete(
            path, 1, f"not valid YAML: {str(problem).splitlines()[0] if str(problem) else 'nested too deeply'}"
        )


def read_json(path: str, text: str) -> Tree | Incomplete:
    """The value of a JSON file. `json` judges the text, YAML's composer (which reads JSON too) gives the lines."""
    try:
        plain = json.loads(text)
    except json.JSONDecodeError as problem:
        return Incomplete(path, problem.lineno, f"not valid JSON: {problem.msg}")
    except (RecursionError, ValueError):
        return Incomplete(path, 1, "not valid JSON: nested too deeply or a number too long")
    flat = STRING_OR_TAB.sub(lambda match: " " if match[0] == "\t" else match[0], text)
    trees = read_yaml(path, flat)
    if isinstance(trees, Incomplete) or len(trees) != 1:
        return _without_lines(plain)
    return trees[0]


def _without_lines(plain: Any) -> Tree:
    if isinstance(plain, dict):
        return Tree({str(key): _without_lines(value) for key, value in plain.items()}, 1)
    return Tree([_without_lines(value) for value in plain] if isinstance(plain, list) else plain, 1)


def _tree(node: yaml.Node, seen: dict[int, Tree], depth: int, lines: list[str]) -> Tree:
    if id(node) in seen:
        return seen[id(node)]  # an alias: one value in two places
    if depth > DEEPEST:
        raise ValueError("nested too deeply")
    line = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, Tree] = {}
        tree = seen[id(node)] = Tree(mapping, line)
        merged: list[tuple[str, Tree]] = []
        for key, value in node.value:
            name = str(key.value) if isinstance(key, yaml.ScalarNode) else repr(key.start_mark.line)
            below = _tree(value, seen, depth + 1, lines)
            if key.tag == "tag:yaml.org,2002:merge":
                parts = [below] if isinstance(below.value, dict) else below.elements()
                merged += [item for part in parts for item in part.items()]
            else:
                mapping[name] = below
        for name, below in merged:
            mapping.setdefault(name, below)
        return tree
    if isinstance(node, yaml.SequenceNode):
        items: list[Tree] = []
        tree = seen[id(node)] = Tree(items, line)
        items += [_tree(item, seen, depth + 1, lines) for item in node.value]
        return tree
    style = node.style if isinstance(node, yaml.ScalarNode) else None
    return Tree(_scalar(node), line, style, _folded(node, lines) if style == ">" else None)


def _folded(node: yaml.Node, lines: list[str]) -> str | None:
    """`>-`: one long line written as several, unless some of its line breaks stayed."""
    written = [line.strip() for line in lines[node.start_mark.line + 1 : node.end_mark.line]]
    return " \\\n".join(written) if " ".join(written) == node.value.strip() else None


def _scalar(node: yaml.Node) -> Any:
    text = node.value
    match node.tag.rpartition(":")[2]:
        case "null":
            return None
        case "bool":
            return str(text).lower() in ("yes", "true", "on")
        case "int":
            try:
                return (
                    int(text.replace("_", ""), 0)
                    if text.lower().startswith(("0x", "0b", "0o"))
                    else int(text.replace("_", ""))
                )
            except ValueError:
                return text
        case "float":
            try:
                return float(text.replace("_", ""))
            except ValueError:
                return text
    return text
