"""Do all nodes of a launch meet at one place, each under a number of its own? (DT901)"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from dtlint.launch.conflict import Conflict, evidence, line_of
from dtlint.launch.devices import shown_devices, too_many_processes
from dtlint.launch.model import Argument, Launch, host_of, is_local
from dtlint.launch.project import Launches
from dtlint.launch.shell_values import EACH_NODE, fallback, known, shown, unknown_sources
from dtlint.launch.topology import OPERATORS, TORCHRUN_KINDS, nodes_option, one_for_each_host, several_nodes

OWN_NAME = re.compile(r"@(?:\$\(|`)\s*hostname\b|@\$\{?(?:HOSTNAME|SLURMD_NODENAME)\b")
BATCH_SHELL = re.compile(r"(?<!@)\$\{?(?:SLURM_NODEID|SLURM_PROCID|SLURM_LOCALID)\b")
EACH_POD = ("pytorchjob", "trainjob", "jobset", "job", "skypilot")
MEETING_ARGUMENTS = ("dist_url", "init_method", "master_addr", "coordinator_address", "dist_init_method")
MEETING_VARIABLES = ("MASTER_ADDR", "MASTER_PORT", "COORDINATOR_ADDRESS", "JAX_COORDINATOR_ADDRESS")
TALKING = ("NCCL_", "TORCH_NCCL_", "GLOO_")  # beginnings of variables that say how the ranks talk to each other
RANK_WRITTEN = re.compile(r"(?:node|machine)[-_]rank[= ]+[\"']?(?:\d|\$\{?(?P<name>[A-Za-z_]\w*))")
DEFAULT_PORT = "29500"
HEAD_OF_JOB = 'the first host of the job, as in `$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1):29500`'


def conflicts(launches: Launches) -> Iterator[Conflict]:
    for launch in launches:
        if launch.kind in TORCHRUN_KINDS:
            yield from _torchrun(launch, launches)
            if launch.step(*EACH_POD) is not None or (launch.outer is None and shown_devices(launch) is not None):
                yield from too_many_processes(launch)
        elif launch.kind == "deepspeed":
            yield from _deepspeed(launch)
        elif launch.kind == "python":
            yield from _program(launch)
    yield from _ports(launches)


def backend(launch: Launch) -> str:
    option = launch.options.get("rdzv_backend") or launch.environment.get("PET_RDZV_BACKEND")
    return (option.value or "") if option else "static"


def meeting_place(launch: Launch) -> Argument | None:
    """The option that says where the nodes meet."""
    options, environment = launch.options, launch.environment
    endpoint = options.get("rdzv_endpoint") or environment.get("PET_RDZV_ENDPOINT")
    if endpoint is not None or backend(launch) != "static":
        return endpoint
    return options.get("master_addr") or environment.get("PET_MASTER_ADDR")


def rank_option(launch: Launch) -> Argument | None:
    return launch.options.get("node_rank") or launch.environment.get("PET_NODE_RANK")


def started_on(launch: Launch) -> int | None:
    """On how many nodes the step around the launch runs it at once; None when there is none, or it is not known."""
    step = launch.step("srun", "mpirun", *EACH_POD)
    return step.nodes if step is not None else None


def _torchrun(launch: Launch, launches: Launches) -> Iterator[Conflict]:
    counted = nodes_option(launch)
    if not several_nodes(launch):
        yield from _separate(launch, counted)
        return
    standalone = launch.options.get("standalone")
    place = meeting_place(launch)
    count = launch.nodes or shown((counted.value if counted else None) or "several")
    if standalone is not None:
        yield Conflict(
            launch.path, line_of(launch, standalone),
            f"`--standalone` meets on this node only, but `--nnodes` waits for {count} nodes",
            "drop `--standalone` and give every node the same `--rdzv_backend=c10d --rdzv_endpoint=HOST:PORT`",
            evidence(launch, counted, standalone),
        )  # fmt: skip
    elif place is None:
        if launch.options.complete and not _operated(launch):
            asked = "rdzv_endpoint" if backend(launch) != "static" else "master_addr"
            yield Conflict(
                launch.path, line_of(launch, counted),
                f"{count} nodes are to meet, but no `--{asked}` says where: "
                "every node waits for the others at its own localhost",
                f"add `--rdzv_backend=c10d --rdzv_endpoint=HOST:PORT` with {HEAD_OF_JOB}",
                evidence(launch, counted),
            )  # fmt: skip
    else:
        yield from _place(launch, launches, place, counted, count)
    if standalone is None:
        yield from _rank(launch, launches, counted)
    yield from _mismatch(launch, counted)


def _place(
    launch: Launch, launches: Launches, place: Argument, counted: Argument | None, count: int | str
) -> Iterator[Conflict]:
    value = place.value or ""
    instead = fallback(value) if not known(value) else None
    if is_local(value):
        if not _same_machine(launch, launches):
            yield Conflict(
                launch.path, place.line,
                f"{count} nodes are to meet at `{shown(host_of(value))}`, which every node takes for itself",
                f"name one host that all nodes can reach: {HEAD_OF_JOB}",
                evidence(launch, counted, place),
            )  # fmt: skip
    elif any(OWN_NAME.match(source) for source in unknown_sources(value)) or _names_itself(launch, launches, value):
        yield Conflict(
            launch.path, place.line,
            f"`{shown(value)}` is evaluated on every node, so each of the {count} nodes meets itself",
            f"evaluate it once, before the nodes start: {HEAD_OF_JOB}",
            evidence(launch, counted, place),
        )  # fmt: skip
    elif instead is not None and is_local(instead):
        yield Conflict(
            launch.path, place.line,
            f"when `{shown(value)}` falls back to `{instead}`, each of the {count} nodes meets itself and waits",
            "let the script fail when the address cannot be found: `${NAME:?not set}`, or `|| exit 1`",
            evidence(launch, counted, place),
            tier=None if "||" in shown(value) else "strict",
        )  # fmt: skip


def _names_itself(launch: Launch, launches: Launches, value: str) -> bool:
    """A script that is started on every node and asks for the name of its node: each has a number of its own, or they
    are numbered as they arrive, and there is no other command for the rest of them."""
    option = rank_option(launch)
    numbered = option is not None and not known(option.value or "")
    alone = backend(launch) == "c10d" and not any(
        other is not launch and other.kind in TORCHRUN_KINDS for other in launches
    )
    own = (numbered or alone) and launch.outer is None
    batch = any(row.startswith("#SBATCH") for row in launches.texts.get(launch.path, []))
    return own and not batch and any(OWN_NAME.match(EACH_NODE + source) for source in unknown_sources(value))


def _rank(launch: Launch, launches: Launches, counted: Argument | None) -> Iterator[Conflict]:
    option = rank_option(launch)
    if backend(launch) != "static":
        if option is not None and known(backend(launch)) and launch.options.get("node_rank"):
            yield Conflict(
                launch.path, option.line,
                f"`--node_rank` does nothing with `--rdzv_backend={backend(launch)}`: "
                "nodes are numbered as they arrive",
                "drop `--node_rank`, or use the static rendezvous with `--master_addr` and `--master_port`",
                evidence(launch, counted, option), effect="waste", severity="note",
                tier="strict" if _by_slurm(option) else None,
            )  # fmt: skip
        return
    if option is None:
        if launch.options.complete and not _operated(launch):
            yield Conflict(
                launch.path, line_of(launch, counted),
                "the static rendezvous numbers nodes by `--node_rank`; without it every node says it is node 0",
                "add `--node_rank` with a different value on each node, "
                "or use `--rdzv_backend=c10d --rdzv_endpoint=HOST:PORT`",
                evidence(launch, counted),
            )  # fmt: skip
        return
    nodes: int | str | None = started_on(launch)
    if nodes is None and one_for_each_host(launch):
        nodes = launch.nodes or "the" if stays(launches, launch, option) else None
    if nodes in (None, 1):
        return
    value = option.value or ""
    step = launch.step("srun", "mpirun", *EACH_POD)
    once = BATCH_SHELL.search(" ".join(unknown_sources(value))) if step is not None and step.kind == "srun" else None
    if known(value) or once:
        why = "is evaluated once, by the batch script" if once else "is the same on all nodes"
        yield Conflict(
            launch.path, option.line,
            f"`--node_rank={shown(value)}` {why}: {nodes} nodes all say they are the same node",
            "let each node evaluate it: `srun bash -c 'torchrun --node_rank=$SLURM_NODEID …'`, "
            "or use `--rdzv_backend=c10d`",
            evidence(launch, counted, option),
        )  # fmt: skip


def stays(launches: Launches, launch: Launch, option: Argument) -> bool:
    """Is the rank a number, or a variable that is given its value once and counts nothing?"""
    rows = launches.texts.get(launch.path, [])
    row = launches.line(launch.path, launch.line)
    written = RANK_WRITTEN.search(row) or RANK_WRITTEN.search(launches.line(launch.path, option.line))
    if written is None:
        return False
    name = written["name"]
    if name is None:
        return True
    changes = re.compile(
        rf"(?<![\w$]){name}(?:\[[^]]*\])?\s*(?:[-+*]?=(?!=)|\+\+|--)|\b(?:let|read|for)\s+(?:-\w+\s+)*{name}\b|\+\+{name}\b"
    )
    return known(option.value or "") and sum(len(changes.findall(line)) for line in rows) == 1


def _by_slurm(option: Argument) -> bool:
    """Slurm's own number of the node or task: which node is the first one is left to it either way."""
    return any(BATCH_SHELL.search(source.lstrip("@")) for source in unknown_sources(option.value or ""))


def _separate(launch: Launch, counted: Argument | None) -> Iterator[Conflict]:
    """One node each, started on several at once: as many trainings as nodes, each believing it is the only one."""
    step = launch.step("srun", *EACH_POD)
    if step is None or step.nodes is None or step.nodes < 2 or launch.nodes != 1:
        return
    meets = meeting_place(launch) or launch.environment.get("MASTER_ADDR")
    if step.kind == "srun" or (step.kind in ("jobset", "job") and meets is None):
        return  # Slurm's half is DT904's
    yield Conflict(
        launch.path, line_of(launch, counted),
        f"{step.nodes} nodes each start a training of their own, since `--nnodes` is {'1' if counted else 'not given'}",
        f"add `--nnodes={step.nodes}` and the rendezvous options that go with it",
        evidence(launch, counted), effect="wrong",
    )  # fmt: skip


def _mismatch(launch: Launch, counted: Argument | None) -> Iterator[Conflict]:
    step = launch.step(*EACH_POD)
    if step is None or step.nodes is None or launch.nodes is None or launch.nodes == step.nodes:
        return
    yield Conflict(
        launch.path, line_of(launch, counted),
        f"`--nnodes={launch.nodes}` waits for {launch.nodes} nodes, but {step.nodes} are started",
        f"make both numbers the same: `--nnodes={step.nodes}`",
        evidence(launch, counted),
    )  # fmt: skip


def _operated(launch: Launch) -> bool:
    """Does an operator hand the options over in `PET_` variables that no file shows?"""
    return any(outer.kind in OPERATORS for outer in launch.outers)


def _same_machine(launch: Launch, launches: Launches) -> bool:
    """Several `nodes` played on one machine, for a test: more than one start of the same job in this file. Services of
    Docker Compose have a machine each."""
    if launch.step("service") is not None:
        return False
    if launch.loops and launch.background and started_on(launch) is None:
        return True
    others = [
        other for other in launches.in_file(launch.path)
        if other is not launch and other.kind == launch.kind and other.nodes == launch.nodes
        and other.script == launch.script and not _exclusive(other, launch)
    ]  # fmt: skip
    ranks = {(rank_option(item) or Argument("", None, 0)).value for item in (launch, *others)}
    return bool(others) and (len(ranks) > 1 or launch.background or any(other.background for other in others))


def _exclusive(one: Launch, other: Launch) -> bool:
    """Are the two in different branches of one decision?"""
    arms = dict(one.branch)
    return any(arms.get(frame, arm) != arm for frame, arm in other.branch)


def _deepspeed(launch: Launch) -> Iterator[Conflict]:
    place = launch.options.get("master_addr")
    if launch.nodes is not None and launch.nodes > 1 and place is not None and is_local(place.value or ""):
        yield Conflict(
            launch.path, place.line,
            f"{launch.nodes} nodes are to meet at `{place.value}`, which every node takes for itself",
            "name a host that all nodes can reach, or drop `--master_addr`: "
            "deepspeed asks the first host for its address",
            evidence(launch, launch.options.get("num_nodes"), place),
        )  # fmt: skip


def _program(launch: Launch) -> Iterator[Conflict]:
    """Ranks started without a launcher: they meet where MASTER_ADDR or an argument says."""
    step = launch.step("srun", "mpirun", *EACH_POD)
    if step is None or step.nodes is None or step.nodes < 2:
        return
    place = launch.arguments.get(*MEETING_ARGUMENTS) or launch.environment.get("MASTER_ADDR")
    if place is None or not place.value:
        return
    local = is_local(place.value)
    if local or any(OWN_NAME.match(source) for source in unknown_sources(place.value)):
        yield Conflict(
            launch.path, place.line,
            f"{step.nodes} nodes are to meet at `{shown(host_of(place.value))}`, which every node takes for itself",
            f"name one host that all nodes can reach: {HEAD_OF_JOB}",
            evidence(launch, place),
        )  # fmt: skip


# --- ports ---------------------------------------------------------------------------------------------------------


def _port(launch: Launch) -> tuple[str, Argument | None] | None:
    """The port a single-node launch listens on; None when it finds a free one itself, or nobody knows.

    torchrun on one node without a port looks for a free one; deepspeed does not."""
    if launch.options.get("standalone") or not launch.options.complete or launch.nodes != 1:
        return None
    if any(name.startswith("PET_") for name in launch.environment):
        return None
    option = launch.options.get("master_port")
    port = option.value or "" if option else (DEFAULT_PORT if launch.kind == "deepspeed" else "0")
    endpoint = launch.options.get("rdzv_endpoint")
    if endpoint is not None:
        if launch.options.get("rdzv_id") is not None or not is_local(endpoint.value or ""):
            return None  # jobs of different names can share a store
        option, port = endpoint, (endpoint.value or "").partition(":")[2] or "0"
    return None if not known(port) or port == "0" else (port, option)


def _ports(launches: Launches) -> Iterator[Conflict]:
    """Two single-node launches at the same time on one machine and one port."""
    for file in launches.files:
        here = [
            (launch, found) for launch in launches.in_file(file.path)
            if launch.kind in (*TORCHRUN_KINDS, "deepspeed") and (found := _port(launch)) is not None
            and launch.step("srun", "mpirun", "ssh", "tpu-vm ssh", *EACH_POD) is None
        ]  # fmt: skip
        told: set[int] = set()
        for launch, (port, option) in here:
            if launch.background and launch.loops and not (_waits(launches, launch, None) or _leaves(launches, launch)):
                told.add(launch.order)
                yield _clash(launch, launch, port, option)
        for (first, (one, _)), (second, (other, place)) in combinations(here, 2):
            if one != other or not first.background or second.order in told or first.order == second.order:
                continue
            if not _exclusive(first, second) and not _waits(launches, first, second):
                told.add(second.order)
                yield _clash(first, second, other, place)


def _waits(launches: Launches, first: Launch, second: Launch | None) -> bool:
    """Is there a `wait` between the two starts (or, in a loop or a function that is called again, before its end)?"""
    again = second is None or second.line <= first.line
    rows = launches.texts.get(first.path, [])[first.line - 1 : second.line if second and not again else None]
    for row in rows:
        if re.search(r"(?:^|[;&|]|then|do)\s*wait\b", row):
            return True
        if again and re.match(r"\s*done\b" if second is None else r"\}", row):
            return False
    return False


OPENS = re.compile(r"\s*(?:if|for|while|until|case|select)\b")
CLOSES = re.compile(r"\s*(?:fi|done|esac|elif|else)\b")
OUT = re.compile(r"(?:^|[;&|]|then|do)\s*(?:break|exit|return)\b")


def _leaves(launches: Launches, launch: Launch) -> bool:
    """Does the turn that starts it leave the loop? So does a loop that watches something else until it is time."""
    depth = 0
    for row in launches.texts.get(launch.path, [])[launch.line - 1 :]:
        depth += bool(OPENS.match(row))
        if not depth and OUT.search(row):
            return True
        if CLOSES.match(row) and not depth:
            return False
        depth -= bool(depth and CLOSES.match(row) and not re.match(r"\s*el", row))
    return False


def _clash(first: Launch, second: Launch, port: str, option: Argument | None) -> Conflict:
    again = "in every turn of the loop" if first is second else f"as the one in line {first.line}"
    steps = dict.fromkeys((first.place, *evidence(second, option)))
    return Conflict(
        second.path, line_of(second, option),
        f"this launch uses port {port} of the machine at the same time {again}",
        "let each find a free one: `--standalone`"
        if second.kind != "deepspeed" else "give each its own `--master_port`",
        tuple(steps), effect="crash",
    )  # fmt: skip
