"""An environment variable set after the library that reads it has looked.

What it finds
-------------
`os.environ[...]` is written after the moment its reader took the value: `JAX_*` after jax was imported (by any module),
`HF_HOME` after transformers or datasets, `XLA_FLAGS` and `CUDA_VISIBLE_DEVICES` after the first use of a device,
`NCCL_*` after the first collective, `MASTER_ADDR` and `TORCH_NCCL_*` after the process group exists.

Why it is bad
-------------
The variable has no effect, and nothing says so: every rank sees all GPUs, the flag is off, the interface is the wrong
one.

Instead
-------
    import os
    os.environ["JAX_PLATFORMS"] = "cpu"      # first
    import jax

or set it in the launcher.

Limits
------
Writes that only child processes started later are meant to see are not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, environment

RULE = Rule(
    code="DT604",
    slug="env-too-late",
    family="DT6",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "jax"),
    title="an environment variable set after the library that reads it has looked",
)

MOMENTS = {
    "import": "it is read when {library} is imported",
    "backend": "it is read at the first use of a device",
    "communicator": "it is read when the communicator is made",
    "init": "it is read when the process group is made",
}


def check(run: Run) -> Iterator[Finding]:
    for write, row, reader in environment.late_writes(run):
        event = write.met.event
        moment = MOMENTS[row.extra["when"]].format(library=reader.api.partition(".")[0])
        line = f"line {reader.at[0]}" + (f" of {reader.path}" if reader.path != event.path else "")
        yield RULE.finding(
            run.span(event.path, write.at),
            f"`{write.name}` is set too late: {moment}, which {line} has done",
            f"set `{write.name}` before {line}, or in the environment of the launcher",
            scope=event.function,
            trail=(
                Step.of(reader, f"`{reader.api}` comes first: {moment}"),
                Step(event.path, write.at[0], f"`{write.name}` is written only now"),
            ),
        )
