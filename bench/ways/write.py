"""What do the programs around the ways look like?"""

from __future__ import annotations

import ast
import random
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module

from bench.drawn.vocabulary import TAIL
from bench.ways.ways import FOLDER, PARAMETERS, Way, ways

OF_RANK, DRAWN, ALIKE = "rank == 0", "random.random() < 0.5", "options.a"
CALL = "dist.barrier"
LONGEST = 3  # ways by which a decision comes to where it is taken


@dataclass(frozen=True, slots=True)
class Program:
    name: str
    source: str
    wrong: bool  # is there the mistake that is looked for?
    code: str = "DT1"


def single(own: str = OF_RANK) -> Iterator[Program]:
    """Each way by itself: as a function that is called, and as far as it can be, written in place. Once the ranks
    differ in what is given, and once they are alike; another thing is beside it of which it is the other way round.
    `own` says how they differ: by rank, or each draws for itself, so that nobody knows which ones do."""
    for kind in PARAMETERS:
        for way in ways(kind):
            for called in (True, False) if way.answer or kind != "carried" else (True,):
                for differs in (True, False):
                    name = f"{way.name}_{'called' if called else 'inline'}_{'differs' if differs else 'alike'}"
                    given, other = (own, ALIKE) if differs else (ALIKE, own)
                    lines = [f"given = {given}", f"other = {other}", *used(way, "given", called)]
                    if kind == "carried":
                        lines += ["if answer:", f"    {CALL}()"]
                    yield program(name, [way], lines, called, differs and kind != "anyway")


def chained(numbers: Iterable[int]) -> Iterator[Program]:
    """A decision that goes by some ways, drawn by its number, to where it is taken in another."""
    for number in numbers:
        luck = random.Random(number)
        way = luck.choice((*ways("decided"), *ways("decided"), *ways("anyway")))
        through: list[Way] = []
        for one in luck.sample(ways("carried"), LONGEST):
            if not any(one.names & other.names for other in (way, *through)):
                through.append(one)
        differs = luck.random() < 0.5
        lines = [f"given = {OF_RANK if differs else ALIKE}", f"other = {ALIKE if differs else OF_RANK}"]
        for one in through:
            lines.append(f"given = {one.function}(given, other)")
        lines += used(way, "given", called=True)
        yield program(f"chained_{number}", [*through, way], lines, True, differs and way.kind == "decided")


def used(way: Way, given: str, called: bool) -> list[str]:
    if way.kind == "carried":
        return [f"answer = {way.function}({given}, other)"] if called else [*way.body, f"answer = {way.answer}"]
    if called:
        return [f"{way.function}({given}, {CALL})"]
    if way.leaves:
        return [f"{way.function}({given})"]
    return [with_call(line) for line in (*way.body, *([way.answer] if way.answer else []))]


def program(name: str, several: list[Way], lines: list[str], called: bool, parts: bool) -> Program:
    imports = sorted({text for way in several for text in way.imports})
    definitions = [text for way in several for text in way.definitions]
    definitions += [function(way, called) for way in several if called or way.leaves]
    body = textwrap.indent("\n".join(["rank = dist.get_rank()", *lines]), "    ")
    head = "\n".join(["import argparse", "import random", *imports, "", "import torch.distributed as dist", "", ""])
    return Program(name, "\n\n\n".join([head, *definitions, f"def run(options):\n{body}"]) + "\n" + TAIL, parts)


def carrying_things() -> Iterator[Program]:
    """A mistake with a sampler, a loader, a key…, that is carried by each way that gives the very thing it was given."""
    for path in sorted((FOLDER / "things").glob("DT*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        above = [one for one in tree.body if getattr(one, "name", "") not in ("bad", "good")]
        known = {one.name for one in above if isinstance(one, ast.ClassDef | ast.FunctionDef)}
        for main in tree.body:
            if isinstance(main, ast.FunctionDef) and main not in above:
                for way in (one for one in ways("carried") if gives_the_thing(one) and not one.names & known):
                    source = "\n".join([*way.imports, *map(ast.unparse, above), *way.definitions, function(way, True)])
                    body = textwrap.indent("\n".join(map(ast.unparse, main.body)), "    ")
                    body = body.replace("carried(", f"{way.function}(")
                    source += f"\n\n\ndef main():\n{body}\n\n\nif __name__ == '__main__':\n    main()\n"
                    yield Program(f"{way.name}_{path.stem}_{main.name}", source, main.name == "bad", path.stem[:5])


def gives_the_thing(way: Way) -> bool:
    """Is it the very thing, or only as true as it?"""
    given = object()
    try:
        return bool(getattr(import_module(f"bench.ways.carried.{way.module}"), way.function)(given, object()) is given)
    except (TypeError, ValueError):
        return False


def function(way: Way, called: bool) -> str:
    """A function that stays one has the call written in it, where it is not handed over."""
    body = "\n".join((*way.body, *([f"return {way.answer}"] if way.answer else [])))
    if called:
        return f"def {way.function}({', '.join(PARAMETERS[way.kind])}):\n{textwrap.indent(body, '    ')}"
    return f"def {way.function}(given):\n{textwrap.indent(with_call(body), '    ')}"


def with_call(text: str) -> str:
    return ast.unparse(WithCall().visit(ast.parse(text)))


class WithCall(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.parse(CALL, mode="eval").body if node.id == "call" else node
