"""Do Slurm's nodes, tasks and devices fit what the launchers inside the job expect? (DT904)"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dtlint.launch.conflict import Conflict, evidence, line_of, path_of
from dtlint.launch.devices import too_many_processes
from dtlint.launch.model import PER_NODE_LAUNCHERS, Argument, Launch
from dtlint.launch.project import Launches
from dtlint.launch.rendezvous import MEETING_ARGUMENTS, MEETING_VARIABLES, TALKING
from dtlint.launch.said import SLURM_STARTS, TASK_IS_RANK, Said, by_program
from dtlint.launch.shell_values import unknown_sources
from dtlint.launch.topology import nodes_option

ITSELF = re.compile(r"srun\b[^\n]*(?:\$0|\$\{?BASH_SOURCE)")
# Launchers that reach the other nodes by themselves, through ssh or pdsh.
REACH_OUT = ("deepspeed",)


def conflicts(launches: Launches, said: Sequence[Said]) -> Iterator[Conflict]:
    """`said`: what the programs say, of whether a task of Slurm is a rank, and of how many tasks there are to be."""
    jobs: dict[int, Launch] = {}
    for launch in launches:
        job = launch.step("batch job")
        if job is not None:
            jobs.setdefault(id(job), job)
        step = launch.step("srun")
        if launch.kind in PER_NODE_LAUNCHERS:
            if step is not None:
                yield from _agents(launch, step)
                yield from _nodes(launch, step)
            elif job is not None:
                yield from _first_node_only(launch, job, launches)
            if job is not None or step is not None:
                yield from too_many_processes(launch)
        elif launch.kind == "python" and step is not None and launch.step("ssh") is None:
            yield from _tasks(launch, step)
            yield from _world(launch, step, launches, said)
            yield from _trainer(launch, step, by_program(said, launches, launch, SLURM_STARTS))
        elif launch.kind == "python" and job is not None and launch.step("srun", "mpirun", "ssh", "tpu-vm ssh") is None:
            yield from _without_srun(launch, job, by_program(said, launches, launch, SLURM_STARTS))
        elif launch.kind == "srun":
            yield from _larger_than_job(launch, job)
            yield from _survivors(launch, launches)
    for job in jobs.values():
        yield from _impossible(job)


def _count_option(launch: Launch) -> Argument | None:
    return launch.option("num_machines") if launch.kind == "accelerate" else nodes_option(launch)


def _agents(launch: Launch, step: Launch) -> Iterator[Conflict]:
    """`srun` starts one launcher for each task; a launcher wants to be alone on its node."""
    tasks = step.tasks_per_node
    if tasks is None or tasks < 2 or launch.processes_per_node == 1 or not launch.options.complete:
        return
    if launch.nodes is not None and launch.nodes == step.world_size:
        return  # every task plays a node of its own
    option = step.options.get("ntasks_per_node", "ntasks") or _of_job(step, "ntasks_per_node", "ntasks")
    each = f", each with {launch.processes_per_node} processes" if launch.processes_per_node else ""
    yield Conflict(
        path_of(launch, option) if option else step.path, option.line if option else step.line,
        f"`srun` starts {tasks} times `{launch.kind}` on every node{each}; one for each node is meant",
        "use `--ntasks-per-node=1` for `srun` (or for the job) and let the launcher start the processes",
        evidence(launch, option),
    )  # fmt: skip


def _of_job(step: Launch, *names: str) -> Argument | None:
    job = step.step("batch job")
    return job.options.get(*names) if job is not None else None


def _nodes(launch: Launch, step: Launch) -> Iterator[Conflict]:
    if launch.nodes is None or step.nodes is None or launch.nodes == step.nodes or launch.kind in REACH_OUT:
        return
    if launch.nodes == step.world_size or step.background or step.loops:
        return  # every task a node, or one `srun` for every node
    option = _count_option(launch)
    few = step.world_size == step.nodes and step.tasks_per_node == 1
    tasks = (step.options.get("ntasks") or _of_job(step, "ntasks")) if few else None
    of_step = tasks or step.options.get("nodes") or _of_job(step, "nodes")
    name = "num_machines" if launch.kind == "accelerate" else "nnodes"
    if launch.nodes == 1:
        if step.tasks_per_node is None:
            return
        option = option or launch.options.get("standalone")
        says = f"`--{name}` is not given" if option is None else f"`{option.shown}` means one"
        yield Conflict(
            launch.path, line_of(launch, option),
            f"`srun` starts this on {step.nodes} nodes, but {says}: {step.nodes} trainings of their own, not one",
            f"add `--{name}=$SLURM_NNODES` and the rendezvous options, or start it on one node",
            evidence(launch, of_step, option), effect="wrong",
        )  # fmt: skip
        return
    yield Conflict(
        launch.path, line_of(launch, option),
        f"`--{name}={launch.nodes}` waits for {launch.nodes} nodes, but `srun` starts it on {step.nodes}",
        "ask for a task on each node: `--ntasks-per-node=1`"
        if tasks else f"take the number from Slurm: `--{name}=$SLURM_NNODES`",
        evidence(launch, of_step, option),
    )  # fmt: skip


def _first_node_only(launch: Launch, job: Launch, launches: Launches) -> Iterator[Conflict]:
    """A batch script itself runs on the first node of the job, whatever the job has."""
    if job.nodes is None or job.nodes < 2 or launch.step("mpirun", "ssh", "tpu-vm ssh") is not None:
        return
    if (
        launch.kind in REACH_OUT
        or launch.option("deepspeed_hostfile", "deepspeed_config.deepspeed_hostfile") is not None
    ):
        return
    if ITSELF.search("\n".join(launches.texts.get(launch.path, []))):
        return
    option, asked = _count_option(launch), job.options.get("nodes")
    if launch.nodes is not None and launch.nodes > 1:
        yield Conflict(
            launch.path, launch.line,
            f"a batch script runs on the first node only, so {launch.nodes - 1} of {launch.nodes} nodes "
            f"never start `{launch.kind}`",
            f"start it on every node: `srun --ntasks-per-node=1 {launch.kind} …`",
            evidence(launch, asked, option),
        )  # fmt: skip
    elif launch.nodes == 1:
        yield Conflict(
            launch.path, launch.line,
            f"the job holds {job.nodes} nodes, but only the first runs `{launch.kind}`",
            "start it on every node with `srun`, or ask for one node",
            evidence(launch, asked), effect="waste", severity="note", tier="strict",
        )  # fmt: skip


def _tasks(launch: Launch, step: Launch) -> Iterator[Conflict]:
    """Ranks that `srun` starts itself, more of them than devices."""
    have, want = step.devices_per_node, step.tasks_per_node
    if have is None or want is None or want <= have:
        return
    option = step.options.get("ntasks_per_node", "ntasks") or _of_job(step, "ntasks_per_node", "ntasks")
    yield Conflict(
        path_of(launch, option) if option else step.path, option.line if option else step.line,
        f"{want} tasks start on each node, but the job has {have} accelerator{'s' if have > 1 else ''} there",
        f"use `--ntasks-per-node={have}`, one task for each device",
        evidence(launch, option), effect="crash", tier=None if _meets(launch) else "strict",
    )  # fmt: skip


def _meets(launch: Launch) -> bool:
    """Is the program told where its ranks meet, or how they talk to each other?"""
    return bool(launch.arguments.get(*MEETING_ARGUMENTS)) or any(
        name in MEETING_VARIABLES or name.startswith(TALKING) for name in launch.environment
    )


def _world(launch: Launch, step: Launch, launches: Launches, said: Sequence[Said]) -> Iterator[Conflict]:
    """A WORLD_SIZE written down that is not the number of tasks."""
    size = launch.environment.get("WORLD_SIZE")
    world = step.world_size
    if size is None or size.number is None or world is None or size.number == world:
        return
    remedy = "take it from Slurm: `export WORLD_SIZE=$SLURM_NTASKS`"
    if step.tasks_per_node == 1 and step.nodes and size.number % step.nodes == 0 and size.number > world:
        if not _is_rank(launch) and not by_program(said, launches, launch, TASK_IS_RANK):
            return  # each task starts the processes of its node by itself
        remedy = f"start one task for each rank: `--ntasks-per-node={size.number // step.nodes}`"
    yield Conflict(
        launch.path, size.line,
        f"`WORLD_SIZE={size.number}`, but `srun` starts {world} task{'s' if world > 1 else ''}",
        remedy,
        evidence(launch, size),
    )  # fmt: skip


def _is_rank(launch: Launch) -> bool:
    """Is the number of the task the rank, `RANK=$SLURM_PROCID`? Then nobody else will come for this node."""
    rank = launch.environment.get("RANK")
    return rank is not None and any("SLURM_PROCID" in source for source in unknown_sources(rank.value or ""))


ALL_DEVICES = ("auto", "-1", -1)  # of the node, as Slurm gives them
SEEN_AS_SESSION = ("bash", "interactive")  # names of jobs in which a trainer does not look at Slurm


def _trainer(launch: Launch, step: Launch, said: list[Said]) -> Iterator[Conflict]:
    """A trainer that takes Slurm's tasks for its processes refuses other numbers than its own."""
    if not _several(step, said) or _is_session(step):
        return
    each = step.options.get("ntasks_per_node") or _of_job(step, "ntasks_per_node")
    total = step.options.get("ntasks") or _of_job(step, "ntasks")
    if each is None and total is not None and (total.number or 0) > 1:
        yield Conflict(
            path_of(launch, total), total.line,
            f"the program's trainer refuses `{total.shown}` alone: it asks Slurm for the tasks of a node",
            "use `--ntasks-per-node`, one task for each device",
            (*evidence(launch, total), said[0].step("devices", "num_nodes")), effect="crash",
        )  # fmt: skip
        return
    devices = {_devices_of(one, step) for one in said}
    if each is not None and each.number and None not in devices and each.number not in devices:
        want = min(number for number in devices if number is not None)
        yield Conflict(
            path_of(launch, each), each.line,
            f"{each.number} task{'s start' if each.number > 1 else ' starts'} on each node, but the program's trainer "
            f"has {want} device{'s' if want > 1 else ''} there: it takes the tasks for its processes, and refuses",
            f"use `--ntasks-per-node={want}`, one task for each device",
            (*evidence(launch, each), said[0].step("devices", "num_nodes")), effect="crash",
        )  # fmt: skip
        return
    nodes = {one.number("num_nodes") for one in said}
    of_step = step.options.get("nodes") or _of_job(step, "nodes")
    if step.nodes and of_step is not None and None not in nodes and step.nodes not in nodes:
        yield Conflict(
            path_of(launch, of_step), of_step.line,
            f"`srun` starts this on {step.nodes} nodes, but the program's trainer expects "
            f"`num_nodes={min(number for number in nodes if number is not None)}`: it refuses",
            f"give the trainer `num_nodes={step.nodes}`",
            (*evidence(launch, of_step), said[0].step("devices", "num_nodes")), effect="crash",
        )  # fmt: skip


def _without_srun(launch: Launch, job: Launch, said: list[Said]) -> Iterator[Conflict]:
    """Such a trainer starts no processes inside of a job: without `srun` there is one of all the tasks."""
    tasks = job.options.get("ntasks_per_node", "ntasks")
    if tasks is None or (job.world_size or 1) < 2 or not _several(job, said) or _is_session(job):
        return
    yield Conflict(
        launch.path, launch.line,
        f"this starts one process, but the program's trainer waits for all {job.world_size} tasks of the job",
        "start it with `srun`, one task for each device",
        (*evidence(launch, tasks), said[0].step("devices", "num_nodes")),
    )  # fmt: skip


def _several(step: Launch, said: list[Said]) -> bool:
    """Is it certain that the trainer has several processes? One with a single device looks at nothing."""
    return bool(said) and all(max(_devices_of(one, step) or 0, one.number("num_nodes") or 0) > 1 for one in said)


def _devices_of(one: Said, step: Launch) -> int | None:
    if one.get("accelerator") not in ("auto", "gpu", "cuda"):
        return None
    devices = one.get("devices")
    if devices in ALL_DEVICES:
        return step.devices_per_node
    if isinstance(devices, list):
        return len(devices)
    return one.number("devices")


def _is_session(step: Launch) -> bool:
    name = step.options.get("job_name") or _of_job(step, "job_name")
    return name is not None and name.value in SEEN_AS_SESSION


def _larger_than_job(step: Launch, job: Launch | None) -> Iterator[Conflict]:
    option = step.options.get("nodes")
    if job is None or option is None or job.nodes is None or step.nodes is None or step.nodes <= job.nodes:
        return
    yield Conflict(
        step.path, option.line,
        f"`srun` asks for {step.nodes} nodes inside a job of {job.nodes}",
        "ask for the nodes of the job, or leave `--nodes` out",
        evidence(step, job.options.get("nodes"), option), effect="crash",
    )  # fmt: skip


def _impossible(job: Launch) -> Iterator[Conflict]:
    tasks, each, nodes = (job.options.number(name) for name in ("ntasks", "ntasks_per_node", "nodes"))
    if tasks is None or each is None or nodes is None or tasks <= each * nodes:
        return
    option = job.options.get("ntasks")
    yield Conflict(
        job.path, line_of(job, option),
        f"{tasks} tasks do not fit on {nodes} node{'s' if nodes > 1 else ''} with {each} each",
        f"use `--ntasks={each * nodes}`, or leave `--ntasks` out",
        evidence(job, job.options.get("nodes"), job.options.get("ntasks_per_node"), option), effect="crash",
    )  # fmt: skip


def _survivors(step: Launch, launches: Launches) -> Iterator[Conflict]:
    """After one rank has died the others wait for it until the watchdog comes, or the job's time is up."""
    many = (step.world_size or 0) > 1 or (step.nodes or 0) > 1
    if not many or not step.options.complete:
        return
    ends = step.options.get("kill_on_bad_exit", "wait")
    if ends is not None and (ends.value or "1") != "0":
        return
    if any(name in step.environment for name in ("SLURM_KILL_BAD_EXIT", "SLURM_WAIT")):
        return
    inside = [
        launch for launch in launches.in_file(step.path)
        if (outer := launch.step("srun")) is not None and (outer.line, outer.order) == (step.line, step.order)
    ]  # fmt: skip
    if not inside:
        return
    supervised = inside[0].kind != "python"
    if not supervised and not any(map(_meets, inside)):
        return  # tasks of their own, which wait for nobody
    yield Conflict(
        step.path, step.line,
        "`srun` without `--kill-on-bad-exit`: when one rank fails, the others go on waiting for it",
        "add `--kill-on-bad-exit=1` (and `--wait=60` for ranks that end early)",
        evidence(step), severity="note" if supervised else "warning", tier="strict" if supervised else None,
    )  # fmt: skip
