"""What does the program around a way look like?"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.ways.ways import ANYWAY, CARRIED, DECIDED, Way, indented, ways

OF_RANK, ALIKE, AGREED = "rank == 0", "options.a", "agreed(rank == 0)"
HEAD = """import argparse
{imports}
import torch.distributed as dist

"""
AGREEING = """
def agreed(value):
    box = [value]
    dist.broadcast_object_list(box, src=0)
    return box[0]
"""
TAIL = """

def start():
    parser = argparse.ArgumentParser()
    parser.add_argument("--a", action="store_true")
    parser.add_argument("--b", action="store_true")
    parser.add_argument("--c", action="store_true")
    parser.add_argument("--items", nargs="*")
    options = parser.parse_args()
    dist.init_process_group("gloo")
    run(options)
    dist.destroy_process_group()


if __name__ == "__main__":
    start()
"""


@dataclass(frozen=True, slots=True)
class Program:
    """`parts`: do the ranks part?"""

    name: str
    source: str
    parts: bool


def single() -> Iterator[Program]:
    """Each way by itself: as a function that is called, and where it can be, written in place."""
    for way in ways(CARRIED):
        for place in ("called", "inline") if way.answer else ("called",):
            for word, given, other in (("bad", OF_RANK, ALIKE), ("good", ALIKE, OF_RANK)):
                lines = [f"given = {given}", f"other = {other}", *carrying(way, place), "if answer:", "    dist.barrier()"]
                yield program(f"{way.name}_{place}_{word}", (way,), lines, word == "bad", place == "called")
    for way in (*ways(DECIDED), *ways(ANYWAY)):
        for place in ("called", "inline"):
            for word, given in (("bad", OF_RANK), ("good", ALIKE)):
                lines = [f"given = {given}", *deciding(way, place)]
                parts = word == "bad" and way.kind == DECIDED
                yield program(f"{way.name}_{place}_{word}", (way,), lines, parts, place == "called" or leaves(way))


def carrying(way: Way, place: str) -> list[str]:
    if place == "called":
        return [f"answer = {way.function}(given, other)"]
    return [*way.body, f"answer = {way.answer}"]


def deciding(way: Way, place: str) -> list[str]:
    """A way that returns early stays a function, with the call written in it."""
    if place == "called":
        return [f"{way.function}(given, dist.barrier)"]
    if leaves(way):
        return [f"{way.function}(given)"]
    return [with_call(line) for line in way.body]


def leaves(way: Way) -> bool:
    return any(isinstance(one, ast.Return) for line in way.body for one in ast.walk(ast.parse(line))) or bool(way.answer)


def with_call(text: str) -> str:
    tree = ast.parse(text)
    return ast.unparse(ast.fix_missing_locations(Named().visit(tree)))


class Named(ast.NodeTransformer):
    """`call` is `dist.barrier`."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.parse("dist.barrier", mode="eval").body if node.id == "call" else node


def program(name: str, used: Sequence[Way], lines: Sequence[str], parts: bool, whole: bool) -> Program:
    imports = sorted({text for way in used for text in way.imports})
    body = "\n".join(["rank = dist.get_rank()", *lines])
    definitions = [text for way in used for text in way.definitions]
    if whole:
        for way in used:
            text = way.whole
            if "_inline_" in name and way.kind != CARRIED:
                text = with_call(text.replace("(given, call)", "(given)", 1))
            definitions.append(text)
    source = HEAD.format(imports="\n".join(imports))
    source += AGREEING if "agreed(" in body else ""
    source += "".join(f"\n{text}\n\n" for text in definitions)
    return Program(name, source + f"\ndef run(options):\n{indented(body)}\n" + TAIL, parts)
