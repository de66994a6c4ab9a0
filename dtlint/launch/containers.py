"""What do cluster descriptions start: PyTorchJob, TrainJob, JobSet and Job of Kubernetes, SkyPilot tasks, the services
of Docker Compose?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dtlint.launch import workflows
from dtlint.launch.commands import Place, script_launches, words_launches
from dtlint.launch.model import Argument, Launch, Options
from dtlint.launch.shell_values import Scope, Word, marker
from dtlint.launch.shell_words import ShellProblem
from dtlint.launch.tree import Tree
from dtlint.source.text import Incomplete

KUBERNETES_VARIABLE = re.compile(r"\$\((\w+)\)")
DEVICES = ("nvidia.com/gpu", "amd.com/gpu", "google.com/tpu", "habana.ai/gaudi", "aws.amazon.com/neuron")
SHELL_WITH_TEXT = re.compile(r"-\w*c$")


@dataclass(frozen=True, slots=True)
class Started:
    launches: tuple[Launch, ...] = ()
    problems: tuple[Incomplete, ...] = ()


def read_document(path: str, tree: Tree) -> Started:
    """What one YAML document starts; nothing when it describes something else."""
    kind = tree.get("kind")
    name = kind.text if kind else None
    if name == "PyTorchJob":
        return _pytorchjob(path, tree)
    if name in ("TrainJob", "TrainingRuntime", "ClusterTrainingRuntime"):
        return _trainjob(path, tree)
    if name == "JobSet":
        return _jobset(path, tree)
    if name == "Job":
        return _job(path, tree)
    if is_skypilot(tree):
        return _skypilot(path, tree)
    if workflows.is_workflow(tree):
        return Started(tuple(workflows.launches(path, tree)))
    return _compose(path, tree.get("services") or Tree({}, 0))


def is_skypilot(tree: Tree) -> bool:
    run, resources = tree.get("run"), tree.get("resources")
    return run is not None and run.text is not None and (tree.get("num_nodes") is not None or resources is not None)


def _setting(name: str, tree: Tree) -> Argument:
    value = tree.value
    return Argument(name, None if value is None else str(value), tree.line, name)


def _step(
    kind: str, path: str, tree: Tree, nodes: Tree | None, count: int | None, devices: int | None = None
) -> Launch:
    options = Options((_setting("nodes", nodes),) if nodes is not None else ())
    line = nodes.line if nodes is not None else tree.line
    return Launch(kind, path, line, options=options, nodes=count, tasks_per_node=1, devices_per_node=devices)


def _devices(container: Tree) -> int | None:
    for part in ("limits", "requests"):
        for name, item in (container.get("resources", part) or Tree({}, 0)).items():
            if name in DEVICES:
                return item.number
    return None


def _containers(template: Tree | None) -> list[Tree]:
    found = template.get("spec", "containers") if template is not None else None
    return found.elements() if found is not None else []


def _container(path: str, container: Tree, step: Launch) -> Started:
    """What the command and arguments of one container start."""
    step = replace(step, devices_per_node=_devices(container) or step.devices_per_node)
    scope = Scope(each_node=True)
    environment: dict[str, Argument] = {}
    for item in (container.get("env") or Tree([], 0)).elements():
        name, value = item.get("name"), item.get("value")
        if name is None or name.text is None:
            continue
        text = str(value.value) if value is not None and value.value is not None else marker(f"${name.text}")
        environment[name.text] = Argument(name.text, text, name.line, name.text)
        scope.values[name.text] = (Word(text, (value or name).line),)
        scope.exported.add(name.text)
    words = tuple(
        Word(_substituted(text, scope), line, True)
        for part in ("command", "args")
        for item in (container.get(part) or Tree([], 0)).elements()
        for text, line in (item.script,)
    )
    place = Place(path, outer=step)
    try:
        if len(words) > 1 and SHELL_WITH_TEXT.match(words[1].text):
            script = words[2] if len(words) > 2 else Word("", 0)
            launches = script_launches(script.text, replace(place, depth=1), script.line, scope)
        else:
            launches = words_launches(words, place, scope, environment)
    except ShellProblem as problem:
        return Started(problems=(Incomplete(path, problem.line, problem.message),))
    return Started((step, *launches) if launches else ())


def _substituted(text: str, scope: Scope) -> str:
    """Kubernetes itself puts values in for `$(NAME)`, for the names it knows."""

    def value(match: re.Match[str]) -> str:
        words = scope.values.get(match[1])
        return words[0].text if words else marker(f"${match[1]}")  # an operator may put it into the environment

    return KUBERNETES_VARIABLE.sub(value, text)


def _together(parts: Iterator[Started]) -> Started:
    found = list(parts)
    return Started(
        tuple(launch for part in found for launch in part.launches),
        tuple(item for part in found for item in part.problems),
    )


def _pytorchjob(path: str, tree: Tree) -> Started:
    roles = tree.get("spec", "pytorchReplicaSpecs") or Tree({}, tree.line)
    counts = [1 if (count := role.get("replicas")) is None else count.number for _, role in roles.items()]
    nodes = sum(count for count in counts if count is not None) if counts and None not in counts else None
    elastic = tree.get("spec", "elasticPolicy")
    worker = roles.get("Worker") or roles.get("Master")
    where = (worker.get("replicas") if worker else None) or worker
    step = _step("pytorchjob", path, tree, where, None if elastic else nodes)
    return _together(
        _container(path, container, step)
        for _, role in roles.items()
        for container in _containers(role.get("template"))
    )


def _trainjob(path: str, tree: Tree) -> Started:
    trainer = tree.get("spec", "trainer")
    nodes = (trainer.get("numNodes") if trainer else None) or tree.get("spec", "mlPolicy", "numNodes")
    devices = None
    if trainer is not None and (resources := trainer.get("resourcesPerNode")) is not None:
        devices = _devices(Tree({"resources": resources}, resources.line))
    step = _step("trainjob", path, tree, nodes, nodes.number if nodes else None, devices)
    parts = [trainer] if trainer is not None else []
    jobs = (tree.get("spec", "template", "spec", "replicatedJobs") or Tree([], 0)).elements()
    for job in jobs:
        parts += _containers(job.get("template", "spec", "template"))
    return _together(_container(path, part, step) for part in parts)


def _jobset(path: str, tree: Tree) -> Started:
    jobs = (tree.get("spec", "replicatedJobs") or Tree([], 0)).elements()
    started = []
    for job in jobs:
        replicas, parallel = job.get("replicas"), _at_once(job.get("template", "spec"))
        counts = [1 if part is None else part.number for part in (replicas, parallel)]
        # With several kinds of jobs nobody here knows which of them train together.
        nodes = counts[0] * counts[1] if len(jobs) == 1 and counts[0] and counts[1] else None
        step = _step("jobset", path, job, parallel or replicas, nodes)
        started += [_container(path, item, step) for item in _containers(job.get("template", "spec", "template"))]
    return _together(iter(started))


def _at_once(job: Tree | None) -> Tree | None:
    """How many pods of a Job run beside each other: never more than it has to complete."""
    if job is None:
        return None
    parallel, complete = job.get("parallelism"), job.get("completions")
    if parallel is not None and complete is not None and (complete.number or 0) < (parallel.number or 0):
        return complete if complete.number else parallel
    return parallel


def _job(path: str, tree: Tree) -> Started:
    parallel = _at_once(tree.get("spec"))
    indexed = tree.get("spec", "completionMode")
    together = indexed is not None and indexed.text == "Indexed"
    count = (1 if parallel is None else parallel.number) if together else None
    step = _step("job", path, tree, parallel, count)
    return _together(_container(path, item, step) for item in _containers(tree.get("spec", "template")))


def _skypilot(path: str, tree: Tree) -> Started:
    run = tree.get("run")
    assert run is not None and run.text is not None
    count = tree.get("num_nodes")
    nodes = 1 if count is None else count.number
    devices = _accelerators(tree.get("resources", "accelerators"))
    step = _step("skypilot", path, tree, count, nodes, devices)
    scope = Scope(each_node=True)
    for part in ("envs", "secrets"):
        for name, item in (tree.get(part) or Tree({}, 0)).items():
            text = str(item.value) if item.value is not None else marker(f"${name}")
            scope.values[name] = (Word(text, item.line),)
            scope.exported.add(name)
    for name, number in (("SKYPILOT_NUM_NODES", nodes), ("SKYPILOT_NUM_GPUS_PER_NODE", devices)):
        if number is not None:
            scope.values[name] = (Word(str(number), step.line),)
    try:
        text, line = run.script
        launches = script_launches(text, Place(path, outer=step, depth=1), line, scope)
    except ShellProblem as problem:
        return Started(problems=(Incomplete(path, problem.line, problem.message),))
    return Started((step, *launches) if launches else ())


def _compose(path: str, services: Tree) -> Started:
    """Every service is a machine of its own, unless it shares the network of its host."""
    shared = [service.get("network_mode") for _, service in services.items()]
    if any(mode is not None and mode.text == "host" for mode in shared):
        return Started()
    return _together(_service(path, service) for _, service in services.items())


def _service(path: str, service: Tree) -> Started:
    if service.get("image") is None and service.get("build") is None:
        return Started()
    command = service.get("command")
    step = _step("service", path, service, None, None)
    if command is None or command.text is None:
        return _container(path, Tree({"args": command or Tree([], 0)}, service.line), step)
    text = " ".join(command.text.replace("$$", "$").split())  # no shell reads it: a line break is a blank
    try:
        launches = script_launches(text, Place(path, outer=step, depth=1), command.script[1], Scope(each_node=True))
        return Started(tuple(launches))
    except ShellProblem as problem:
        return Started(problems=(Incomplete(path, problem.line, problem.message),))


def _accelerators(tree: Tree | None) -> int | None:
    """`8` of `A100:8` and of `{A100: 8}`; one of `A100`; TPUs are counted by their hosts, not here."""
    if tree is None:
        return None
    if isinstance(tree.value, dict) and len(tree.value) == 1:
        name, item = next(tree.items())
        return None if name.lower().startswith("tpu") else item.number
    if tree.text is None or tree.text.lower().startswith("tpu"):
        return None
    _, _, number = tree.text.partition(":")
    return int(number) if number.isdigit() else (1 if not number else None)
