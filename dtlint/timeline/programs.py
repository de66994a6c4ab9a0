"""Which files make up a program, and what is it for?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node

TESTS = frozenset({"test", "tests", "testing"})
TRIALS = TESTS | {"benchmark", "benchmarks"}


def relatives(run: Any) -> set[str]:
    """The files of this program: what the script imports, and what imports the script; worked out once."""
    known: set[str] | None = run.cache.get("relatives")
    if known is None:
        known = run.cache["relatives"] = related(run)
    return known


def related(run: Any) -> set[str]:
    imports = {path: run.project.imported(path) for path in run.project.paths}
    importers: dict[str, set[str]] = {}
    for path, others in imports.items():
        for other in others:
            importers.setdefault(other, set()).add(path)
    found: set[str] = set()
    for edges in (imports, importers):
        pending = [run.entry.path]
        while pending:
            path = pending.pop()
            fresh = edges.get(path, set()) - found
            found |= fresh
            pending.extend(fresh)
    return found | {run.entry.path}


def in_a_test(path: str, folders_of: frozenset[str] = TESTS) -> bool:
    """Tests start ranks for one small thing, and leave what they made behind."""
    *folders, name = path.replace("\\", "/").split("/")
    return name.startswith("test_") or name.endswith("_test.py") or not folders_of.isdisjoint(folders)


def of_trials(path: str) -> bool:
    """Tests and benchmarks draw their dummy inputs from one key on purpose."""
    return in_a_test(path, TRIALS)


def passes(run: Any, option: str) -> bool:
    """Does a launcher of the project itself give this option to the processes it starts: `f"--local_rank={rank}"`?"""
    known: dict[str, bool] = run.cache.setdefault("options passed", {})
    if option not in known:
        known[option] = any(
            any(text.startswith(f"{option}=") for text in texts(run.project.module(path)))
            for path in run.project.mentioning(f"{option}=")
        )
    return known[option]


def names(run: Any, variable: str) -> bool:
    """Does a file of this program name the variable, to read it in whatever way?"""
    own = relatives(run)
    return any(path in own and variable in texts(run.project.module(path)) for path in run.project.mentioning(variable))


def mentioned(run: Any, word: str) -> bool:
    """Does a file of this program use the word as a name?"""
    own = relatives(run)
    return any(path in own and word in run.project.module(path).tokens for path in run.project.mentioning(word))


def texts(node: ir.Node) -> Iterator[str]:
    """What is written in quotes below here."""
    for inner in every_node(node):
        if isinstance(inner, ir.Const) and isinstance(inner.value, str):
            yield inner.value
