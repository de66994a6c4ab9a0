"""Is the program started as the target needs it?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dtlint.findings import Finding
from dtlint.launch.model import Launch
from dtlint.launch.project import Launches
from dtlint.launch.shell_values import known, shown
from dtlint.ready.facts import Fact

KINDS = {
    "torchrun": ("torchrun", "torch.distributed.launch"),
    "slurm": ("srun", "batch job"),
    "tpu-pod": ("tpu-vm ssh",),
    "accelerate": ("accelerate",),
    "deepspeed": ("deepspeed",),
    "k8s": ("pytorchjob", "trainjob", "jobset", "job"),
}
WHAT = {
    "torchrun": "`torchrun` starts the program on every node",
    "slurm": "`srun` starts the program on every node",
    "tpu-pod": "the command goes to all workers of the pod",
    "accelerate": "`accelerate launch` starts the program on every machine",
    "deepspeed": "`deepspeed` starts the program on every node",
    "k8s": "the job starts a container on every node",
}
CODES = ("DT901", "DT902", "DT904", "DT905")


@dataclass(frozen=True, slots=True)
class Started:
    title: str
    works: bool
    text: str
    facts: tuple[Fact, ...] = ()
    findings: tuple[Finding, ...] = ()
    critical: bool = False


def target_of(launches: Launches) -> str | None:
    """The target that the launch files of a project speak of most clearly."""
    kinds = {launch.kind for launch in launches} | {outer.kind for launch in launches for outer in launch.outers}
    for target in ("tpu-pod", "k8s", "slurm", "deepspeed", "accelerate", "torchrun"):
        if kinds & set(KINDS[target]):
            return target
    return None


def start_answers(launches: Launches, findings: Sequence[Finding], target: str) -> Iterator[Started]:
    bad = tuple(finding for finding in findings if finding.code in CODES)
    here = _of(launches, target)
    if bad:
        yield Started(WHAT[target], False, bad[0].message, findings=bad, critical=True)
    elif not here:
        yield Started(WHAT[target], False, f"no launch file for {target} was found", critical=True)
    else:
        good = [launch for launch in here if _all_workers(launch)] if target == "tpu-pod" else here
        text = "`--worker=all`" if target == "tpu-pod" else f"`{here[0].kind}`"
        yield Started(
            WHAT[target], bool(good), text if good else "no command in the launch files goes to all workers",
            _places(good), critical=True,
        )  # fmt: skip
    if target == "tpu-pod" and here:
        yield _installation(here)
    if target == "slurm" and here:
        yield _end_of_job(launches)


def _of(launches: Launches, target: str) -> list[Launch]:
    kinds = KINDS[target]
    found = {
        (one.path, one.line, one.kind): one
        for launch in launches
        for one in (launch, *launch.outers)
        if one.kind in kinds
    }
    return list(found.values())


def _places(launches: Sequence[Launch]) -> tuple[Fact, ...]:
    return tuple(Fact(launch.path, launch.line, "launch", launch.kind) for launch in launches)


def _all_workers(step: Launch) -> bool:
    option = step.options.get("worker")
    value = (option.value if option else None) or "0"
    return value == "all" or "," in value or not known(value) or bool(step.loops)


def _installation(steps: list[Launch]) -> Started:
    title = "dependencies are installed on all workers"
    for step in steps:
        command = step.options.get("command")
        text = shown((command.value if command else None) or "")
        if "install" in text and _all_workers(step):
            return Started(title, True, "`--worker=all` with an installation", _places([step]))
    return Started(title, False, "no installation on all workers was found in the launch files")


def _end_of_job(launches: Launches) -> Started:
    title = "the job ends when one rank fails"
    steps = [launch for launch in launches if launch.kind == "srun"]
    ending = [step for step in steps if (option := step.options.get("kill_on_bad_exit")) and option.value != "0"]
    ending += [step for step in steps if "SLURM_KILL_BAD_EXIT" in step.environment]
    if ending:
        return Started(title, True, "`--kill-on-bad-exit`", _places(ending))
    return Started(title, False, "no `srun --kill-on-bad-exit=1` was found")
