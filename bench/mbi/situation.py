"""What may a shape choose from when it is drawn once more? Operations, conditions, call depth, blocking or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from bench.mbi.frameworks import COMPLEMENTS, RANK_CONDITIONS, UNIFORM, Framework
from bench.mbi.statements import Body, Call, Outlined, Text, branch, marked

DIVERGENCE = ("DT101", "DT102", "DT103", "DT104", "DT108", "DT110", "DT111")


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw of a shape: every choice is made here, once, so that both branches agree on it."""

    framework: Framework
    random: Random
    first: str
    second: str
    condition: str
    complement: tuple[str, str]
    uniform: str
    depth: int
    mode: str  # blocking | async | late

    def calls(self, *names: str) -> Body:
        """The collectives in this order; asynchronous ones are always waited for."""
        if self.mode == "blocking" or any(name not in self.framework.asynchronous for name in names):
            return tuple(Call(name) for name in names)
        handles = [f"work_{index}" for index in range(1, len(names) + 1)]
        waits = [Text(f"{handle}.wait()") for handle in handles]
        posted = [Call(name, handle=handle) for name, handle in zip(names, handles, strict=True)]
        if self.mode == "late":
            return (*posted, *waits)
        return tuple(one for pair in zip(posted, waits, strict=True) for one in pair)

    def away(self, *names: str) -> Body:
        """The same, `depth` function calls away."""
        return (Outlined(self.calls(*names), self.depth),)

    @property
    def one(self) -> Body:
        return self.away(self.first)

    @property
    def other(self) -> Body:
        return self.away(self.second)

    @property
    def both(self) -> Body:
        return self.away(self.first, self.second)

    @property
    def swapped(self) -> Body:
        return self.away(self.second, self.first)

    @property
    def work(self) -> Body:
        return (Text(self.random.choice(('print("preparing")', 'print("writing the summary", flush=True)'))),)

    @property
    def guarded_work(self) -> Body:
        return branch(self.condition, self.work)

    def by_rank(self, then: Body, other: Body = ()) -> Body:
        return branch(self.condition, then, other)

    def bug(self, then: Body, other: Body = ()) -> Body:
        """A rank branch whose sides do not agree."""
        return marked(branch(self.condition, then, other))


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a shape returns: the body and, where needed, module level definitions."""

    body: Body
    functions: tuple[tuple[str, Body], ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    name: str
    correct: bool
    build: Callable[[Draw], Body | Drawn]
    weight: int = 5
    frameworks: tuple[str, ...] = ("torch", "accelerate", "jax")
    codes: tuple[str, ...] = DIVERGENCE
    in_function: bool = False  # has a `return`: the body needs a function of its own
    kind: str = "order"  # order: real processes hang or fail; argument: they may also go on with wrong data


def draw(framework: Framework, random: Random) -> Draw:
    mode = random.choice(("blocking", "blocking", "async", "late")) if framework.asynchronous else "blocking"
    names = framework.calls if mode == "blocking" else framework.asynchronous
    first, second = random.sample(names, 2)
    conditions = framework.conditions if random.random() < 0.8 else RANK_CONDITIONS
    return Draw(
        framework=framework,
        random=random,
        first=first,
        second=second,
        condition=random.choice(conditions),
        complement=random.choice(framework.complements or COMPLEMENTS),
        uniform=random.choice(UNIFORM),
        depth=random.choice((0, 0, 1, 2, 3)),
        mode=mode,
    )
