"""What does the machine believe that a sample gives, on known values and where one of them differs by rank?"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

from bench.values.samples import Sample
from dtlint.knowledge.loader import load
from dtlint.machine import run as machine_run
from dtlint.machine.contents import plain
from dtlint.machine.contents.opaque import deep_cause
from dtlint.machine.starts.entries import Entry, run_script
from dtlint.machine.values import Value
from tests.machine.programs import Files

TOGETHER = 25  # samples in one program
HEAD = "import torch.distributed as dist\ndist.init_process_group('gloo')\nrank = dist.get_rank()\n"
RIGHT, WRONG, UNKNOWN, LOST = "right", "wrong", "not known", "difference lost"


class Belief(NamedTuple):
    sample: Sample
    known: str  # on known values
    parted: str  # where one input differs between the first rank and the others; "" where there is no other


def beliefs(samples: list[Sample]) -> Iterator[Belief]:
    knowledge = load()
    for first in range(0, len(samples), TOGETHER):
        part = samples[first : first + TOGETHER]
        machine = machine_run.machine_for(Files({"program.py": program(part)}), knowledge, WORLD)  # type: ignore[arg-type]
        held: dict[str, Value] = {}

        def look(held: dict[str, Value] = held, machine: Any = machine) -> None:
            run_script(machine, "program.py")
            held |= machine.frame.variables

        machine_run.run_entry(machine, Entry("script", "program.py", "<module>", 1), look)
        for number, sample in enumerate(part):
            known = judged(held.get(f"known_{number}"), (sample.result,))
            parted = ""
            if sample.other is not None:
                value = held.get(f"parted_{number}")
                parted = judged(value, (sample.result, sample.other_result))
                if parted == UNKNOWN and value is not None and deep_cause(machine, (value,)) is None:
                    parted = LOST
            yield Belief(sample, known, parted)


WORLD = SimpleNamespace(world="2x2", budget=None)


def program(samples: list[Sample]) -> str:
    lines = [HEAD]
    for number, sample in enumerate(samples):
        body = "".join(f"    {line}\n" for line in sample.text.splitlines())
        lines.append(f"def sample_{number}({', '.join(name for name, _ in sample.inputs)}):\n{body}    return result\n")
        given = dict(sample.inputs)
        lines.append(f"known_{number} = sample_{number}({', '.join(given.values())})\n")
        if sample.other is not None:
            name, value = sample.other
            given[name] = f"({given[name]} if rank == 0 else {value})"
            lines.append(f"parted_{number} = sample_{number}({', '.join(given.values())})\n")
    return "".join(lines)


def judged(value: Value | None, wanted: tuple[Any, ...]) -> str:
    """Of the first rank, and of the second where there are two answers."""
    if value is None:
        return UNKNOWN
    things = [plain.thing_of(value, lane) for lane, _ in enumerate(wanted)]
    if any(thing is plain.NOT_KNOWN for thing in things):
        return UNKNOWN
    return RIGHT if all(map(same, things, wanted)) else WRONG


def same(one: Any, other: Any) -> bool:
    """A list is no tuple and 1 is not True; of zeros the sign does not count."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(same, one.values(), other.values()))
    return bool(one == other) or one != one
