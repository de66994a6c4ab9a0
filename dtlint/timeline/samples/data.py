"""What do the questions of family DT2 (who sees which sample?) share?"""

from __future__ import annotations

from dtlint.findings import Step
from dtlint.machine.logs import Event
from dtlint.machine.run import Run

Steps = tuple[Step, ...]


def kept(*steps: Step | None) -> Steps:
    return tuple(dict.fromkeys(step for step in steps if step is not None))


def whole_world(run: Run, event: Event) -> bool:
    full = run.world.full
    return event.group is not None and all(members == full for members in event.group.members)
