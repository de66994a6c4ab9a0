"""GPU work before this rank has chosen its device.

What it finds
-------------
With the NCCL backend, a model goes to `cuda` without a number, or a barrier is entered, while nobody has called
`torch.cuda.set_device`.

Why it is bad
-------------
The current device is GPU 0 in every process. All ranks of a node put their model, or at least a CUDA context, there;
NCCL refuses two ranks on one device or hangs.

Instead
-------
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")

Limits
------
Silent where `device_id` is given, and where the program decides which devices it sees. Where only a function that
nobody calls was followed, and it chooses no device later, the finding is one of the strict tier.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Event, Finding, Rule, Run, Step, devices, unchosen_devices

RULE = Rule(
    code="DT502",
    slug="missing-set-device",
    family="DT5",
    effect="waste",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="GPU work before this rank has chosen its device",
)


def check(run: Run) -> Iterator[Finding]:
    for met, start, late in unchosen_devices.unchosen(run):
        event = met.event
        told = [(start, "the process group is started"), (met, "the first work on the current device")]
        if late is not None:
            told.append((late, "the device is chosen here, too late"))
        begun = late is not None or run.entry.kind == "script"  # whoever calls a function may have chosen before
        yield RULE.finding(
            run.span(event.path, event.at),
            "no device was chosen: this happens on GPU 0 in every process of the node",
            "call `torch.cuda.set_device(local_rank)` before, best before init_process_group",
            scope=event.function,
            tier=RULE.tier if begun else "strict",
            trail=tuple(
                step
                for one, text in sorted(told, key=lambda pair: pair[0].number)
                for step in (*(named(event) if one is met else ()), Step.of(one.event, text))
            ),
        )


def named(event: Event) -> tuple[Step, ...]:
    made = devices.named_at(event)
    return (Step(*made, "the device is named without a number"),) if made is not None else ()
