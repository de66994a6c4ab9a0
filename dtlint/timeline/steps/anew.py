"""Is each turn of a loop a training of its own?

`for size in sizes: train(size)`: what makes its optimizer in each turn begins anew, and its turns are no epochs.
"""

from __future__ import annotations

from dtlint.machine.logs import Event, Loop
from dtlint.machine.walks import walk


def trains_anew(loop: Loop) -> bool:
    return any(isinstance(node, Event) and node.op == "optimizer" for node, _ in walk(loop.body))
