"""What does the check-list ask?"""

from __future__ import annotations

from dataclasses import dataclass

from dtlint.findings import Finding

TARGETS = ("torchrun", "slurm", "tpu-pod", "accelerate", "deepspeed", "k8s")
SECTIONS = (
    "initialisation",
    "sharding of parameters",
    "sharding of data",
    "agreement of ranks",
    "randomness",
    "checkpoints and logs",
    "launch",
)
ALL_BUT_TPU = ("torchrun", "slurm", "accelerate", "deepspeed", "k8s")


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the list.

    `codes`: findings that make it fail, of one effect only where that stands beside (`DT516 waste`). `shows`: facts
    that show the thing is done. `needs`: facts without which the question does not arise. With `silence` it is enough
    that the rules looked at the program and found nothing. The rule of the first code has to be there for silence to
    mean anything.
    `of_all_ranks`: a hang that another line tells of makes this one fail too.
    `critical`: not knowing is not good enough to call the program ready."""

    section: str
    title: str
    codes: tuple[str, ...]
    shows: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    silence: bool = False
    critical: bool = False
    of_all_ranks: bool = False
    targets: tuple[str, ...] = TARGETS
    unknown: str = "nothing in the source shows it"

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(code.partition(" ")[0] for code in self.codes)

    def fails(self, finding: Finding) -> bool:
        return finding.code in self.codes or f"{finding.code} {finding.effect}" in self.codes


ITEMS = (
    Item(
        "initialisation", "processes find each other before anything else", ("DT408", "DT516 crash", "DT109", "DT801"),
        shows=("initialise",), critical=True,
        unknown="no call that starts the process group was found",
    ),
    Item(
        "initialisation", "each process uses a device of its own", ("DT501", "DT502", "DT407"), shows=("device",),
        needs=("initialise-torch", "framework"), targets=ALL_BUT_TPU,
        unknown="no call that chooses the device of this process was found",
    ),
    Item(
        "initialisation", "the process group is shut down", ("DT805", "DT516 waste"), shows=("shutdown",),
        needs=("initialise-torch",), unknown="no `destroy_process_group` was found",
    ),
    Item(
        "initialisation", "environment variables are set in time, and something reads them",
        ("DT605", "DT604", "DT606"),
        needs=("environment",), silence=True,
    ),
    Item(
        "sharding of parameters", "parameters and optimizer are sharded or replicated over all devices",
        ("DT401", "DT402", "DT410", "DT411", "DT503", "DT409"), shows=("parameter-sharding",), critical=True,
        unknown="no mesh, sharding or wrapper was found",
    ),
    Item(
        "sharding of parameters", "gradients reach every replica",
        ("DT404", "DT403", "DT506", "DT507", "DT508", "DT513", "DT517"),
        needs=("parameter-sharding",), silence=True,
    ),
    Item(
        "sharding of data", "every process reads its own part of the data",
        ("DT201", "DT205", "DT207", "DT208", "DT210"),
        shows=("data-sharding",), needs=("data", "initialise"), critical=True,
        unknown="no sampler, shard or split by process was found",
    ),
    Item(
        "sharding of data", "all processes make equally many steps", ("DT206", "DT202", "DT203", "DT103"),
        needs=("data", "data-sharding"), silence=True,
    ),
    Item(
        "sharding of data", "batch sizes add up", ("DT209", "DT515", "DT903"), needs=("data",), silence=True,
    ),
    Item(
        "sharding of data", "every epoch has an order of its own", ("DT204", "DT607"), shows=("set-epoch", "framework"),
        needs=("sampler",), unknown="no `set_epoch` was found",
    ),
    Item(
        "agreement of ranks", "all ranks make the same collectives in the same order",
        ("DT101", "DT102", "DT104", "DT105", "DT106", "DT107", "DT110", "DT111", "DT112", "DT113", "DT117",
         "DT406", "DT412",
         "DT802", "DT803"),
        needs=("collective", "initialise"), silence=True, critical=True, of_all_ranks=True,
    ),
    Item(
        "agreement of ranks", "results are used where and when they are there", ("DT115", "DT116", "DT804"),
        needs=("collective",), silence=True,
    ),
    Item(
        "randomness", "all replicas start from the same parameters",
        ("DT305", "DT307"), needs=("seed", "parameter-sharding"),
        silence=True,
    ),
    Item(
        "randomness", "processes and devices draw different numbers where they have to",
        ("DT301", "DT302", "DT303", "DT304", "DT306", "DT308"), needs=("random", "seed"), silence=True,
    ),
    Item(
        "checkpoints and logs", "checkpoints are written by those who have to",
        ("DT108", "DT114", "DT702", "DT704", "DT705", "DT706"),
        shows=("checkpoint",), critical=True,
        unknown="no checkpoint is written: a run that stops starts again from nothing",
    ),
    Item(
        "checkpoints and logs", "a run can go on where it stopped", ("DT510", "DT211"), shows=("resume",),
        needs=("checkpoint",), unknown="checkpoints are written, but nothing reads them",
    ),
    Item(
        "checkpoints and logs", "one process logs, and logs what holds for all",
        ("DT701", "DT703"), needs=("log",), silence=True,
    ),
)  # fmt: skip
