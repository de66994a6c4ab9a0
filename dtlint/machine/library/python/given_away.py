"""Is what runs now called by somebody unknown, who may have done more than to call it?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dtlint.machine.core import Machine

DEPTH = "given away"  # fact of the run: how many such calls are under way


@contextmanager
def called_by_somebody(machine: Machine) -> Iterator[None]:
    machine.facts[DEPTH] = machine.facts.get(DEPTH, 0) + 1
    try:
        yield
    finally:
        machine.facts[DEPTH] -= 1


def given_away(machine: Machine) -> bool:
    return bool(machine.facts.get(DEPTH))
