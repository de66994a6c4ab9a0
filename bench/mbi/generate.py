"""Which programs are there? The same list on every machine: each is drawn from its own name, nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from bench.mbi import shapes_arguments, shapes_branches, shapes_flow
from bench.mbi.frameworks import FRAMEWORKS, Framework
from bench.mbi.situation import Drawn, Shape, draw
from bench.mbi.writer import LAYOUTS, Plan, Writer

SHAPES = (*shapes_branches.SHAPES, *shapes_flow.SHAPES, *shapes_arguments.SHAPES)
TRIES = 6  # draws for each wanted program before a shape counts as exhausted


@dataclass(frozen=True, slots=True)
class Program:
    """A runnable file, and what is true of it: `lines` are the places of its bug."""

    name: str
    framework: str
    shape: str
    text: str
    correct: bool
    lines: tuple[int, ...]
    codes: tuple[str, ...]
    kind: str

    @property
    def path(self) -> str:
        return f"{self.name}.py"


def programs() -> tuple[Program, ...]:
    made: list[Program] = []
    for framework in FRAMEWORKS:
        for shape in SHAPES:
            if framework.name in shape.frameworks:
                made += of_shape(framework, shape, len(made))
    return tuple(made)


def of_shape(framework: Framework, shape: Shape, before: int) -> list[Program]:
    texts: dict[str, tuple[int, ...]] = {}
    for index in range(shape.weight * TRIES):
        text, lines = one(framework, shape, Random(f"{framework.name}:{shape.name}:{index}"))
        texts.setdefault(text, lines)
        if len(texts) == shape.weight:
            break
    return [
        Program(
            name=f"p{before + index:04d}_{framework.name}_{shape.name}",
            framework=framework.name,
            shape=shape.name,
            text=text,
            correct=shape.correct,
            lines=() if shape.correct else lines,
            codes=() if shape.correct else shape.codes,
            kind=shape.kind,
        )
        for index, (text, lines) in enumerate(texts.items(), 1)
    ]


def one(framework: Framework, shape: Shape, random: Random) -> tuple[str, tuple[int, ...]]:
    built = shape.build(draw(framework, random))
    drawn = built if isinstance(built, Drawn) else Drawn(built)
    layouts = [layout for layout in LAYOUTS if allowed(layout, framework, shape)]
    torch = framework.name == "torch"
    plan = Plan(
        framework=framework,
        body=drawn.body,
        layout=random.choice(layouts),
        functions=drawn.functions,
        qualified=torch and random.random() < 0.25,
        from_environment=torch and random.random() < 0.3,
    )
    return Writer(plan).program()


def allowed(layout: str, framework: Framework, shape: Shape) -> bool:
    if layout == "globals":
        return framework.name != "jax"
    return layout != "main" or not shape.in_function


def some(wanted: int, every: tuple[Program, ...]) -> tuple[Program, ...]:
    """An evenly spread selection."""
    if wanted <= 0 or wanted >= len(every):
        return every
    return tuple(every[index * len(every) // wanted] for index in range(wanted))
