"""Do the numbers and addresses that `accelerate launch` gets fit together? (DT905)"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from dtlint.findings import Step
from dtlint.launch.conflict import Conflict, evidence
from dtlint.launch.devices import LIST
from dtlint.launch.model import Argument, Configuration, Launch, is_local
from dtlint.launch.project import Launches
from dtlint.launch.rendezvous import BATCH_SHELL, EACH_POD, OWN_NAME, stays
from dtlint.launch.shell_values import fallback, known, shown, unknown_sources
from dtlint.launch.topology import one_for_each_host

OVERRIDES = ("multi_gpu", "use_fsdp", "use_deepspeed", "use_megatron_lm", "tpu", "cpu")


@dataclass(frozen=True, slots=True)
class View:
    """The options of one launch together with its configuration file, or the file alone."""

    launch: Launch | None
    configuration: Configuration | None

    def get(self, name: str) -> Argument | None:
        own = self.launch.options.get(name) if self.launch else None
        return own or (self.configuration.get(name) if self.configuration else None)

    def number(self, name: str) -> int | None:
        item = self.get(name)
        return item.number if item else None

    def text(self, name: str) -> str:
        item = self.get(name)
        return ((item.value if item else None) or "").strip()

    @property
    def complete(self) -> bool:
        """Is everything known that could be given?"""
        if self.launch is None:
            return True
        named = self.launch.options.get("config_file")
        return self.launch.options.complete and (named is None or self.configuration is not None)

    def place(self, option: Argument | None) -> tuple[str, int]:
        """The file and line of an option, or of the launch."""
        if option is not None and self.configuration and self.configuration.values.get(option.name) is option:
            return self.configuration.path, option.line
        if self.launch is not None:
            return self.launch.path, option.line if option else self.launch.line
        assert self.configuration is not None
        return self.configuration.path, option.line if option else 1

    def conflict(
        self, option: Argument | None, message: str, remedy: str, *others: Argument | None, **more: str
    ) -> Conflict:
        path, line = self.place(option)
        steps = list(evidence(self.launch)) if self.launch else []
        for item in (*others, option):
            if item is not None:
                where, number = self.place(item)
                step = Step(where, number, f"`{item.shown}`")
                if step not in steps:
                    steps.append(step)
        return Conflict(path, line, message, remedy, tuple(steps), **more)


def conflicts(launches: Launches) -> Iterator[Conflict]:
    for launch in launches:
        if launch.kind == "accelerate":
            view = View(launch, launch.configuration)
            if not _elsewhere(view):
                yield from _arithmetic(view)
                yield from _address(view, None)
                yield from _rank(view, launches)
                yield from _total(view)
                yield from _named_devices(view)
    for configuration in launches.configurations:
        if configuration.kind != "accelerate":
            continue
        view, users = View(None, configuration), launches.users_of(configuration)
        if _elsewhere(view):
            continue
        if not users:
            yield from _arithmetic(view)
            # who gives the file to a command may say there where to meet; a file for one machine says all of it
            yield from _address(view, None if (view.number("machine_rank") or 0) > 0 else "strict")
            yield from _total(view)
            yield from _named_devices(view)
        if not any(launch.options.get(*OVERRIDES) for launch in users):
            yield from _single(view)
    yield from _one_for_each(launches)


def _one_for_each(launches: Launches) -> Iterator[Conflict]:
    """As many files as there are machines, one for each of them, and they all say the same, the rank included."""
    if any(launch.kind == "accelerate" and launch.options.get("machine_rank") for launch in launches):
        return
    alike: dict[object, list[Configuration]] = {}
    for one in launches.configurations:
        if one.kind == "accelerate" and one.get("machine_rank") is not None:
            said = sorted((name, str(item.value)) for name, item in one.values.items())
            alike.setdefault((posixpath.dirname(one.path), tuple(said)), []).append(one)
    for first, *others in alike.values():
        view = View(None, first)
        if view.number("num_machines") != 1 + len(others) or not others or _elsewhere(view):
            continue
        for other in others:
            rank, theirs = other.get("machine_rank"), first.get("machine_rank")
            assert rank is not None and theirs is not None
            yield View(None, other).conflict(
                rank,
                f"`{posixpath.basename(first.path)}` beside it says `machine_rank: {rank.value}` as well: "
                f"of {1 + len(others)} machines no two can have the same",
                f"give each file its own `machine_rank`, from 0 to {len(others)}",
            )


def _elsewhere(view: View) -> bool:
    """SageMaker, TPU clusters and MPI arrange their machines themselves."""
    if view.configuration and any(name.startswith("mpirun") for name in view.configuration.values):
        return True
    return view.text("compute_environment") == "AMAZON_SAGEMAKER" or view.text("tpu_use_cluster").lower() == "true"


def _arithmetic(view: View) -> Iterator[Conflict]:
    processes, machines, rank = (view.number(name) for name in ("num_processes", "num_machines", "machine_rank"))
    total, several = view.get("num_processes"), view.get("num_machines")
    if processes and machines and processes % machines:
        yield view.conflict(
            total,
            f"{processes} processes cannot be shared equally by {machines} machines: "
            "`num_processes` counts those of all machines",
            f"use a multiple of {machines}, such as {machines * (-(-processes // machines))}",
            several, effect="crash" if processes < machines else "wrong",
        )  # fmt: skip
    if machines and rank is not None and rank >= machines:
        yield view.conflict(
            view.get("machine_rank"),
            f"machine {rank} of {machines}: ranks count from 0, so the last is {machines - 1}, "
            "and the others wait for one that never comes",
            f"use a `machine_rank` from 0 to {machines - 1}, or correct `num_machines`",
            several,
        )  # fmt: skip


def _ssh(view: View) -> bool:
    """DeepSpeed's own multi-node launchers find the address by themselves."""
    deepspeed = view.text("distributed_type").upper() == "DEEPSPEED" or view.get("use_deepspeed") is not None
    kind = view.text("deepspeed_multinode_launcher") or view.text("deepspeed_config.deepspeed_multinode_launcher")
    return deepspeed and kind != "standard"


def _address(view: View, tier: str | None) -> Iterator[Conflict]:
    machines = view.number("num_machines")
    if not machines or machines < 2 or _ssh(view):
        return
    address, count = view.get("main_process_ip"), view.get("num_machines")
    value = view.text("main_process_ip")
    if not value or value.lower() in ("null", "none"):
        if view.complete:
            more = {"tier": tier} if tier else {}
            yield view.conflict(
                address or count,
                f"{machines} machines are to meet, but `main_process_ip` does not say where",
                "set `main_process_ip` to an address of machine 0 that the others can reach",
                count, **more,
            )  # fmt: skip
    elif is_local(value):
        yield view.conflict(
            address,
            f"{machines} machines are to meet at `{value}`, which every machine takes for itself",
            "set `main_process_ip` to an address of machine 0 that the others can reach",
            count,
        )  # fmt: skip
    elif any(OWN_NAME.match(source) for source in unknown_sources(value)):
        yield view.conflict(
            address,
            f"`{shown(value)}` is evaluated on every machine, so each of the {machines} meets itself",
            "evaluate it once, before the machines start",
            count,
        )  # fmt: skip
    elif "||" in shown(value) and is_local(fallback(value) or ""):
        yield view.conflict(
            address,
            f"when `{shown(value)}` falls back to `{fallback(value)}`, "
            f"each of the {machines} machines meets itself and waits",
            "let the script fail when the address cannot be found",
            count,
        )  # fmt: skip


def _nodes_of(view: View, launches: Launches) -> int | None:
    """On how many machines is this started as it is written?"""
    launch, rank = view.launch, view.get("machine_rank")
    step = launch.step("srun", *EACH_POD) if launch else None
    if step is not None or launch is None or not one_for_each_host(launch):
        return step.nodes if step else None
    on_the_line = launch.options.get("machine_rank")
    alike = rank is not None and (on_the_line is None or stays(launches, launch, on_the_line))
    return view.number("num_machines") if alike else None


def _rank(view: View, launches: Launches) -> Iterator[Conflict]:
    """The same machine rank on every machine."""
    machines, launch, nodes = view.number("num_machines"), view.launch, _nodes_of(view, launches)
    if not machines or machines < 2 or nodes is None or nodes < 2 or _ssh(view):
        return
    if (view.text("rdzv_backend") or "static") != "static" or not view.complete:
        return
    rank = view.get("machine_rank")
    value = (rank.value if rank else None) or ""
    by_slurm = launch is not None and launch.step("srun") is not None
    once = by_slurm and BATCH_SHELL.search(" ".join(unknown_sources(value)))
    if known(value) or once:
        why = "is evaluated once, by the batch script" if once else ("is the same" if rank else "is not given")
        yield view.conflict(
            rank,
            f"`machine_rank` {why} on all {nodes} nodes: they all say they are the same machine",
            "let each node evaluate it: `srun bash -c 'accelerate launch --machine_rank $SLURM_NODEID …'`, "
            "or use `--rdzv_backend c10d`",
            view.get("num_machines"),
        )  # fmt: skip


def _total(view: View) -> Iterator[Conflict]:
    """`num_processes` is the total of all machines, often taken for the number on one."""
    processes, machines, launch = view.number("num_processes"), view.number("num_machines"), view.launch
    value = view.text("gpu_ids").replace(" ", "")
    named = len(value.split(",")) if LIST.fullmatch(value) else None
    devices = (launch.devices_per_node if launch else None) or named
    if processes and machines and machines > 1 and devices and devices > 1 and processes == devices:
        yield view.conflict(
            view.get("num_processes"),
            f"`num_processes` counts those of all machines: {processes} on {machines} machines leaves "
            f"{devices * machines - processes} of {devices * machines} devices idle",
            f"use `num_processes` {devices * machines}",
            view.get("num_machines"), effect="waste", severity="warning",
        )  # fmt: skip


def _named_devices(view: View) -> Iterator[Conflict]:
    """More processes on a machine than `gpu_ids` or `CUDA_VISIBLE_DEVICES` leave to it."""
    processes, machines = view.number("num_processes"), view.number("num_machines") or 1
    named = view.get("gpu_ids") if view.text("gpu_ids") not in ("", "all") else None
    in_a_job = view.launch is not None and view.launch.step("batch job", "srun") is not None  # there DT904 says so
    if named is None and view.launch is not None and not in_a_job:
        named = view.launch.environment.get("CUDA_VISIBLE_DEVICES")
    value = (named.value or "").replace(" ", "") if named is not None else ""
    kind = view.text("distributed_type").upper()
    on_cpu = kind in ("NO", "FALSE", "MULTI_CPU") or "true" in (view.text("use_cpu").lower(), view.text("cpu").lower())
    flag = view.launch.options.get("cpu", "use_cpu") if view.launch is not None else None
    if not processes or not LIST.fullmatch(value) or on_cpu or flag is not None:
        return
    count = len(value.split(","))
    if processes > count * machines and processes % machines == 0:
        assert named is not None
        yield view.conflict(
            view.get("num_processes"),
            f"{processes // machines} processes start on each machine, but `{named.name}` leaves it {count} "
            f"device{'s' if count > 1 else ''}",
            f"use `num_processes` {count * machines}, or name as many devices as there are processes",
            named, effect="crash",
        )  # fmt: skip


def _single(view: View) -> Iterator[Conflict]:
    processes = view.number("num_processes")
    kind = view.get("distributed_type")
    if kind is not None and view.text("distributed_type").upper() in ("NO", "FALSE") and processes and processes > 1:
        yield view.conflict(
            kind,
            f"`distributed_type: NO` starts one process, whatever `num_processes: {processes}` says",
            "use `distributed_type: MULTI_GPU` (or FSDP, DEEPSPEED, MULTI_CPU), or `num_processes: 1`",
            view.get("num_processes"), effect="wrong",
        )  # fmt: skip
