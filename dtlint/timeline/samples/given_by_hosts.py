"""What does each host of a JAX program give to its devices, to learn from?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.findings import Step
from dtlint.machine.run import Run
from dtlint.machine.values import Value
from dtlint.timeline.steps.training import survey


def given_by_hosts(run: Run) -> Iterator[tuple[Value, Step]]:
    """Batches for its own devices, or its part of an array of all hosts, each with the step that says so."""
    seen = survey(run)
    given = [
        (event, (event.subject,), "each host gives this as its part of an array of all hosts")
        for event, _ in seen.of("host-part")
    ]
    if run.facts.get("jax hosts") and seen.gradients:
        text = "a batch of this host's part goes to its devices"
        given += [(event, (event.subject,), text) for event, _ in seen.of("device-split")]
        given += [(event, event.extra["given"], text) for event, _ in seen.of("host-step") if event.extra["learns"]]
    for event, values, text in given:
        yield from ((value, Step.of(event, text)) for value in values if value is not None)
