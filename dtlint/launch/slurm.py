"""What did the batch job ask Slurm for: nodes, tasks, devices?"""

from __future__ import annotations

import re
import shlex

from dtlint.launch.model import Argument, Launch, Options
from dtlint.launch.options import SRUN, read_options
from dtlint.launch.shell_values import Scope, Word, known

DIRECTIVE = re.compile(r"#SBATCH[ \t]+(.*)")
GRES = re.compile(r"(?:gres/)?gpu(?::[A-Za-z][\w.-]*)?(?::(\d+)|=(\d+))?\b")


def directives(text: str, line: int = 1) -> list[Word]:
    """The words of the `#SBATCH` lines. Slurm reads them up to the first command of the script, and so do we."""
    words: list[Word] = []
    for number, row in enumerate(text.split("\n"), line):
        row = row.strip()
        if match := DIRECTIVE.match(row):
            try:
                parts = shlex.split(match[1], comments=True)
            except ValueError:
                parts = match[1].split()
            words += [Word(part, number, True) for part in parts]
        elif row and not row.startswith("#"):
            break
    return words


def batch_job(path: str, text: str, line: int = 1) -> Launch | None:
    """The job that the `#SBATCH` lines describe."""
    words = directives(text, line)
    if not words:
        return None
    options, _ = read_options(tuple(words), SRUN)
    return step("batch job", path, words[0].line, options, None)


def step(kind: str, path: str, line: int, options: Options, job: Launch | None) -> Launch:
    """A batch job, or an `srun` inside one: what it does not say itself it takes from the job."""

    def number(*names: str) -> int | None:
        own = options.get(*names)
        if own is not None:
            return _count(own)
        return None if job is None else _count(job.options.get(*names))

    nodes = number("nodes")
    tasks = number("ntasks") if options.get("ntasks") or not options.get("nodes") else _count(options.get("ntasks"))
    per_node = number("ntasks_per_node")
    says_nodes = options.get("nodes") or (job.options.get("nodes") if job else None)
    if nodes is None and says_nodes is None and options.complete:
        nodes = (
            job.nodes if job is not None else (1 if tasks == 1 or (tasks and per_node and tasks <= per_node) else None)
        )
        if nodes is None and tasks and per_node and tasks % per_node == 0:
            nodes = tasks // per_node
    if options.get("ntasks") and not options.get("nodes") and tasks == 1:
        nodes = 1
    if job is not None and tasks is not None and nodes and tasks < nodes:
        nodes = tasks  # there is no node without a task
    devices = _devices(options, nodes, per_node, tasks) or (job.devices_per_node if job else None)
    tasks_unsaid = not (options.get("ntasks") or (job and job.options.get("ntasks")))
    if (
        tasks is not None
        and nodes
        and (per_node is None or (options.get("ntasks") and not options.get("ntasks_per_node")))
    ):
        per_node = tasks // nodes if tasks % nodes == 0 else None
    elif (
        per_node is None and tasks_unsaid and not options.get("ntasks_per_gpu", "ntasks_per_socket", "ntasks_per_core")
    ):
        inherited = job is not None and job.options.get("ntasks_per_gpu", "ntasks_per_socket", "ntasks_per_core")
        per_node = 1 if options.complete and not inherited and says_nodes else None
    world = tasks if tasks is not None else (nodes * per_node if nodes and per_node else None)
    return Launch(
        kind=kind,
        path=path,
        line=line,
        options=options,
        nodes=nodes,
        processes_per_node=per_node,
        tasks_per_node=per_node,
        world_size=world,
        devices_per_node=devices,
        outer=job,
    )


def _count(option: Argument | None) -> int | None:
    """`4` of `--nodes=4` and of `--nodes=4-4`; a true range is not known."""
    if option is None or option.value is None or not known(option.value):
        return None
    low, _, high = option.value.partition("-")
    return int(low) if low.isascii() and low.isdigit() and high in ("", low) else None


def _devices(options: Options, nodes: int | None, per_node: int | None, tasks: int | None) -> int | None:
    """How many GPUs one node gives to the job, when it says so."""
    for name in ("gpus_per_node", "gres"):
        option = options.get(name)
        if option is not None and option.value is not None:
            return _gpus(option.value, name)
    if (option := options.get("gpus")) is not None and option.value is not None:
        total = _gpus(option.value, "gpus")
        return total // nodes if total and nodes and total % nodes == 0 else None
    if (option := options.get("gpus_per_task")) is not None and option.value is not None:
        each = _gpus(option.value, "gpus_per_task")
        if each and per_node:
            return each * per_node
        return each * tasks // nodes if each and tasks and nodes and tasks % nodes == 0 else None
    return None


def _gpus(value: str, name: str) -> int | None:
    """`8` of `8`, `a100:8`, `gpu:8`, `gpu:a100:8`."""
    if not known(value):
        return None
    if name == "gres":
        found = [int(match[1] or match[2] or 1) for match in GRES.finditer(value)]
        return sum(found) if found else None
    last = value.rpartition(":")[2]
    return int(last) if last.isascii() and last.isdigit() else None


def environment_of(job: Launch, scope: Scope) -> None:
    """The variables that Slurm sets for a batch script, as far as the job's own words fix them."""
    facts = {
        "SLURM_NNODES": job.nodes,
        "SLURM_JOB_NUM_NODES": job.nodes,
        "SLURM_NTASKS": job.world_size if job.options.get("ntasks", "ntasks_per_node") else None,
        "SLURM_NPROCS": job.world_size if job.options.get("ntasks", "ntasks_per_node") else None,
        "SLURM_NTASKS_PER_NODE": job.tasks_per_node if job.options.get("ntasks_per_node") else None,
        "SLURM_TASKS_PER_NODE": None,
        "SLURM_GPUS_ON_NODE": job.devices_per_node,
        "SLURM_GPUS_PER_NODE": job.devices_per_node if job.options.get("gpus_per_node") else None,
    }
    for name, value in facts.items():
        if value is not None:
            scope.values[name] = (Word(str(value), job.line),)
            scope.exported.add(name)
