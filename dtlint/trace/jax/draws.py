"""Which random numbers and files did this host make? Told at its end, compared by dtlint with those of the others."""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from typing import Any

import jax
import numpy as np

from dtlint.trace.frames import is_user_file
from dtlint.trace.writes import Writes

DRAWS = (
    "normal", "uniform", "bernoulli", "randint", "permutation", "choice", "categorical", "truncated_normal", "gumbel",
    "laplace", "exponential", "dirichlet", "gamma", "beta",
)  # fmt: skip
SEEDS = ("PRNGKey", "key")
KEPT = 16
LARGEST = 1_000_000  # elements


class Drawn:
    def __init__(self, host: int) -> None:
        self.host = host
        self.draws: dict[tuple[str, int], dict[str, Any]] = {}
        self.seeds: dict[tuple[str, int], str] = {}
        self.writes = Writes()

    def install(self) -> None:
        for name in DRAWS:
            if (original := getattr(jax.random, name, None)) is not None:
                setattr(jax.random, name, self._draw(original, name))
        for name in SEEDS:
            setattr(jax.random, name, self._seed(getattr(jax.random, name)))

    def _draw(self, original: Any, name: str) -> Any:
        @functools.wraps(original)
        def draw(*args: Any, **keywords: Any) -> Any:
            numbers = original(*args, **keywords)
            place = _place(sys._getframe(1))
            # what is drawn while JAX traces a function has no value yet; there the keys are followed
            if place is not None and isinstance(numbers, jax.Array) and not isinstance(numbers, jax.core.Tracer):
                known = self.draws.setdefault(place, {"name": f"jax.random.{name}", "numbers": []})
                if len(known["numbers"]) < KEPT and numbers.size <= LARGEST:
                    data = np.asarray(numbers).tobytes()
                    known["numbers"].append(hashlib.blake2b(data, digest_size=8).hexdigest())
            return numbers

        return draw

    def _seed(self, original: Any) -> Any:
        @functools.wraps(original)
        def seed(*args: Any, **keywords: Any) -> Any:
            place = _place(sys._getframe(1))
            if place is not None and args and not isinstance(args[0], jax.core.Tracer):
                self.seeds.setdefault(place, repr(args[0])[:80])
            return original(*args, **keywords)

        return seed

    def fact(self, _: int) -> dict[str, Any]:
        draws = [{"path": path, "line": line, **known} for (path, line), known in self.draws.items()]
        seeds = [{"path": path, "line": line, "value": value} for (path, line), value in self.seeds.items()]
        return {"kind": "draws", "rank": self.host, "draws": draws, "seeds": seeds}


def _place(frame: Any) -> tuple[str, int] | None:
    path = frame.f_code.co_filename
    return (os.path.realpath(path), frame.f_lineno) if is_user_file(path) else None
