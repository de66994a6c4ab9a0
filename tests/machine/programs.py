"""Small programs from strings, run on the imaginary ranks; shared by the tests of the machine and of the timeline."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace

from dtlint.ir.lowering import lower
from dtlint.knowledge.loader import load
from dtlint.machine.logs import Choice, Event
from dtlint.machine.run import Run, analyse
from dtlint.machine.walks import walk
from dtlint.project.cache import summaries
from dtlint.project.imports import scan_imports
from dtlint.project.started import Started
from dtlint.timeline.ranks.attempts import failures
from dtlint.timeline.ranks.classify import code_of
from dtlint.timeline.ranks.divergence import divergences

HEAD = """
import os
import torch
import torch.distributed as dist
import torch.nn as nn
dist.init_process_group("gloo")
rank = dist.get_rank()
world = dist.get_world_size()
"""


class Files:
    """As much of a project as the machine asks for."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.paths = tuple(sorted(texts))
        self.selected = self.paths
        self.looked = set()
        self.started = Started()
        self.settings = ()
        self.texts = texts
        self.modules = {path: lower(text, path) for path, text in texts.items()}
        self.names = {path.removesuffix(".py").replace("/", "."): path for path in texts}

    def module(self, path):
        return self.modules[path]

    def text(self, path):
        return self.texts[path]

    def tree(self, path):
        return self.modules[path]

    def functions(self, path):
        return summaries(self.modules[path])

    def imported(self, path):
        return set()

    def importers(self, path):
        return set()

    def import_lines(self, path):
        return scan_imports(self.texts[path].encode())

    def packages(self):
        return {line.module.partition(".")[0] for path in self.paths for line in self.import_lines(path)}

    def mentioning(self, word):
        return tuple(path for path in self.paths if word in self.texts[path])

    def circle(self, path):
        return (path,)

    def name_of(self, path):
        return path.removesuffix(".py").replace("/", ".")

    def find_module(self, dotted):
        return self.names.get(dotted)

    def find_package(self, dotted):
        return any(name.startswith(dotted + ".") for name in self.names)

    def resolve(self, importer, module, level):
        return module


@lru_cache(maxsize=1)
def knowledge():
    return load()


def runs(source: str, head: str = HEAD, world: str = "2x2", budget: int | None = None, **others: str) -> list[Run]:
    texts = {f"{name}.py": textwrap.dedent(text) for name, text in others.items()}
    texts["program.py"] = head + textwrap.dedent(source)
    return list(analyse(Files(texts), knowledge(), SimpleNamespace(world=world, budget=budget)))


def run(source: str, head: str = HEAD, world: str = "2x2", **others: str) -> Run:
    """The program started as a script."""
    return next(one for one in runs(source, head, world, **others) if one.entry.path == "program.py")


def events(made: Run, kind: str = "collective") -> list[tuple[str, str]]:
    """`(operation, lanes)` of what was communicated, without the start of the process group."""
    return [
        (node.op, f"{node.mask:04b}")
        for node, _ in walk(made.log)
        if isinstance(node, Event) and node.kind == kind and node.op != "init"
    ]


def choices(made: Run) -> list[tuple[str, str | None]]:
    """`(text, why lanes may part)` of the branches nobody could decide."""
    return [
        (node.decision.text, node.cause.kind if node.cause is not None else None)
        for node, _ in walk(made.log)
        if isinstance(node, Choice)
    ]


@dataclass(frozen=True)
class Told:
    code: str
    shape: str
    op: str
    line: str


def told(source: str, head: str = HEAD, **others: str) -> list[Told]:
    """What is wrong with the program: code, shape, operation, and the text of the line an author would edit."""
    from dtlint.timeline.ranks.telling import place_of

    found = []
    texts = {"program.py": head + textwrap.dedent(source)}
    texts |= {f"{name}.py": textwrap.dedent(text) for name, text in others.items()}
    for one in runs(source, head, **others):
        for divergence in (*divergences(one), *failures(one)):
            code, _ = code_of(one, divergence)
            place = place_of(divergence)
            line = texts[place.path].splitlines()[place.at[0] - 1].strip()
            item = Told(code, divergence.shape, divergence.event.op, line)
            if code and item not in found:
                found.append(item)
    return found


def codes(source: str, head: str = HEAD, **others: str) -> list[str]:
    return [item.code for item in told(source, head, **others)]
