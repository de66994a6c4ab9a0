"""A device numbered by the global rank.

What it finds
-------------
`set_device(rank)`, `cuda:{rank}` or `device_ids=[rank]` with the rank among all processes instead of the rank on this
node.

Why it is bad
-------------
On the first node the two are equal, so it works there. On the second node rank 8 asks for GPU 8 of 8: `invalid device
ordinal`.

Instead
-------
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)

Limits
------
Silent for a remainder (`rank % torch.cuda.device_count()`), for `mp.spawn`, whose index is the local rank, and where
each process sees one device only.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, placement

RULE = Rule(
    code="DT501",
    slug="device-from-global-rank",
    family="DT5",
    effect="crash",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="a device numbered by the global rank",
)


def check(run: Run) -> Iterator[Finding]:
    for met, cause in placement.global_rank_devices(run):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            "the device is numbered by the global rank: on the second node there is no such device",
            'use the local rank: `int(os.environ["LOCAL_RANK"])`, or `rank % torch.cuda.device_count()`',
            scope=event.function,
            trail=(*cause.steps(), Step.of(event, "and names the device")),
        )
