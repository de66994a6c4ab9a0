"""Which programs does a shell command start, through how many wrappers, and how often each?"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from dtlint.launch import slurm
from dtlint.launch.model import Argument, Launch, Options
from dtlint.launch.options import GCLOUD, MPIRUN, SRUN, read_arguments, read_options
from dtlint.launch.shell import Command, commands
from dtlint.launch.shell_values import Scope, Word, expand_quoted, fallback, shown
from dtlint.launch.shell_words import OPEN, ShellProblem
from dtlint.launch.vocabulary import (
    BARE_OPTIONS_OF,
    GRAMMARS,
    LAUNCHER_MODULES,
    MPI,
    PYTHON,
    REMOTE,
    RUNNERS,
    SHELLS,
    TALKERS,
    VALUE_OPTIONS,
    WRAPPERS,
)

SCRIPTS = (".sh", ".bash")
DEEPEST = 8  # a string in a string in a string …


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file, and inside which other start, a command stands."""

    path: str
    job: Launch | None = None
    outer: Launch | None = None
    depth: int = 0
    background: bool = False
    loops: int = 0
    branch: tuple[tuple[int, int], ...] = ()
    order: int = 0
    read_in: str = ""


def script_launches(
    text: str, place: Place, line: int = 1, scope: Scope | None = None, given: tuple[Word, ...] | None = None
) -> list[Launch]:
    """All launches of a shell text, called with the arguments `given`. Raises `ShellProblem`."""
    scope = scope if scope is not None else Scope()
    if (place.depth == 0 or text.lstrip().startswith("#!")) and not place.read_in:
        job = slurm.batch_job(place.path, text, line)
        if job is not None:
            place = replace(place, job=job, outer=job)
            slurm.environment_of(job, scope)
    found: list[Launch] = []
    for number, command in enumerate(commands(text, scope, line, given)):
        here = replace(
            place,
            background=place.background or command.background,
            loops=place.loops + command.loops,
            branch=place.branch + tuple((frame + 1000 * place.depth, arm) for frame, arm in command.branch),
            order=place.order or number + 1,
        )
        environment = _environment(command)
        made = words_launches(command.words, here, command.scope, environment)
        if command.lost:
            made = [replace(launch, lost=(command.words[-1].line, command.lost)) for launch in made[-1:]]
        found += made
        if command.heredoc is not None:
            found += _heredoc(command, here)
    return found


def _environment(command: Command) -> dict[str, Argument]:
    """What the command inherits, as far as this script sets it."""
    values = {
        name: Argument(name, words[0].text, words[0].line, name, command.scope.elsewhere.get(name))
        for name in command.scope.exported
        if (words := command.scope.values.get(name))
    }
    values.update({name: Argument(name, word.text, word.line, name) for name, word in command.environment})
    return values


def _heredoc(command: Command, place: Place) -> list[Launch]:
    """The script that `sbatch <<EOF`, `bash <<EOF` or `cat > job.sh <<EOF` hands on."""
    body, line, expanded = command.heredoc or ("", 0, False)
    names = command.names
    if place.depth >= DEEPEST or not (
        set(names) & {"sbatch", "bash", "sh", "ssh", "srun"} or body.lstrip().startswith("#!")
    ):
        return []
    text = expand_quoted(body, line, command.scope)[0] if expanded else body
    own = "sbatch" in names or body.lstrip().startswith("#!")
    inner = replace(place, depth=place.depth + 1, outer=None if own else place.outer, job=None if own else place.job)
    try:
        return script_launches(text, inner, line, Scope() if own else command.scope.copy())
    except ShellProblem:
        return []


def _text_launches(word: Word, place: Place, scope: Scope, each_node: bool) -> list[Launch]:
    """The launches of a command line that is handed on as one string."""
    if place.depth >= DEEPEST:
        return []
    inner = scope.copy()
    inner.each_node = each_node or scope.each_node
    if each_node:
        for name in [name for name in inner.values if name.startswith("SLURM_") and name.endswith("ID")]:
            del inner.values[name]
    try:
        return script_launches(word.text, replace(place, depth=place.depth + 1), word.line, inner)
    except ShellProblem:
        return []


def words_launches(
    words: tuple[Word, ...], place: Place, scope: Scope, environment: dict[str, Argument]
) -> list[Launch]:
    """What `words`, one simple command, starts."""
    while words and (match := re.match(r"([A-Za-z_]\w*)=(.*)", words[0].text, re.DOTALL)):
        environment = {**environment, match[1]: Argument(match[1], match[2], words[0].line, match[1])}
        words = words[1:]
    if not words or place.depth >= DEEPEST:
        return []
    head, rest = words[0], words[1:]
    name = _program(head)
    if name in TALKERS:
        return []
    if name in ("srun", "sbatch") or name in MPI:
        return _step(name, head, rest, place, scope, environment)
    if name == "gcloud":
        return _tpu(head, rest, place, scope)
    if name == "torchrun" or name == "deepspeed":
        return [_launch(name, head, rest, place, environment)]
    if name == "accelerate" and rest[:1] and rest[0].text == "launch":
        return [_launch("accelerate", head, rest[1:], place, environment)]
    if name == "accelerate-launch":
        return [_launch("accelerate", head, rest, place, environment)]
    if name in SHELLS:
        return _shell(rest, place, scope, environment)
    if name.endswith(SCRIPTS):
        return _script(head, rest, place, scope, environment)
    if name in WRAPPERS:
        if name == "eval":
            joined = Word(" ".join(word.text for word in rest), rest[0].line if rest else head.line)
            return _text_launches(joined, place, scope, False)
        return words_launches(_behind_options(name, rest), place, scope, environment)
    if name in RUNNERS and rest[:1] and rest[0].text == "run":
        return _search(rest[1:], place, scope, environment)
    if PYTHON.match(name):
        return _python(head, rest, place, scope, environment)
    return _search(rest, place, scope, environment, remote=name in REMOTE)


def _program(word: Word) -> str:
    """The name of the program, without its directory; `${PYTHON:-python}` counts as its default."""
    text = fallback(word.text) or word.text if OPEN in word.text else word.text
    if OPEN in text and re.search(r"python", shown(text), re.IGNORECASE) and "/" not in shown(text).rstrip("/"):
        return "python"
    return text.rpartition("/")[2]


def _behind_options(name: str, words: tuple[Word, ...]) -> tuple[Word, ...]:
    position = 0
    left = WRAPPERS[name]
    while position < len(words):
        text = words[position].text
        if text == "--":
            return words[position + 1 :]
        if text.startswith("-"):
            takes = text in VALUE_OPTIONS and text not in BARE_OPTIONS_OF.get(name, ())
            position += 2 if takes else 1
        elif left:
            left -= 1
            position += 1
        else:
            break
    return words[position:]


def _search(
    words: tuple[Word, ...], place: Place, scope: Scope, environment: dict[str, Argument], remote: bool = False
) -> list[Launch]:
    """A command dtlint does not know: look for a launcher among its words (`docker run … image torchrun …`)."""
    if remote:
        place = replace(place, outer=Launch("ssh", place.path, words[0].line if words else 1, outer=place.outer))
    for position, word in enumerate(words):
        name = _program(word)
        follower = words[position + 1].text if position + 1 < len(words) else ""
        launcher = name in ("torchrun", "deepspeed", "srun", *MPI) and follower
        if launcher or (name == "accelerate" and follower == "launch") or PYTHON.match(name):
            if word.text.startswith("-"):
                continue
            return words_launches(words[position:], place, scope, environment)
        if name in SHELLS and re.match(r"-\w*c$", follower):
            return words_launches(words[position:], place, scope, environment)
        if re.search(r"\s", word.text) and re.search(
            r"\b(?:torchrun|deepspeed|accelerate launch|python3?|srun) ", word.text
        ):
            return _text_launches(word, place, scope, remote)
    return []


def _shell(words: tuple[Word, ...], place: Place, scope: Scope, environment: dict[str, Argument]) -> list[Launch]:
    """`bash -c "…"`, `bash run.sh`"""
    for position, word in enumerate(words):
        if re.match(r"-\w*c$", word.text) and position + 1 < len(words):
            return _text_launches(words[position + 1], place, scope, _on_each_node(place))
        if not word.text.startswith(("-", "+")):
            return _script(word, words[position + 1 :], place, scope, environment)
    return []


def _on_each_node(place: Place) -> bool:
    return place.outer is not None and place.outer.kind in ("srun", "mpirun", "skypilot", "pytorchjob")


def _script(
    name: Word, given: tuple[Word, ...], place: Place, scope: Scope, environment: dict[str, Argument]
) -> list[Launch]:
    """What another script starts, with what it inherits and is given here. By itself it is read on its own: this way
    only where something around it matters, and then it belongs to the file that calls it."""
    found = scope.script(name.text) if place.outer is not None and place.outer.kind != "ssh" else None
    if found is None or place.depth >= DEEPEST:
        return []
    path, text = found
    inner = Scope(each_node=scope.each_node or _on_each_node(place), beside=scope.beside)
    for variable, value in environment.items():
        own_number = variable.startswith("SLURM_") and variable.endswith("ID")
        if value.value is not None and not (inner.each_node and own_number):
            inner.values[variable] = (Word(value.value, 0),)  # written in another file
            inner.exported.add(variable)
    here = replace(place, path=path, depth=place.depth + 1, read_in=place.read_in or place.path)
    try:
        launches = script_launches(text, here, 1, inner, tuple(Word(word.text, 0, word.quoted) for word in given))
    except ShellProblem:
        return []
    return [replace(launch, read_in=here.read_in) for launch in launches]


def _python(
    head: Word, words: tuple[Word, ...], place: Place, scope: Scope, environment: dict[str, Argument]
) -> list[Launch]:
    position = 0
    while position < len(words):
        text = words[position].text
        if text == "-m" and position + 1 < len(words):
            module = words[position + 1].text
            rest = words[position + 2 :]
            kind = LAUNCHER_MODULES.get(module)
            if kind == "accelerate" and rest[:1] and rest[0].text == "launch":
                rest = rest[1:]
            if kind is not None:
                return [_launch(kind, head, rest, place, environment)]
            return [_program_launch(head, module, True, rest, place, environment)]
        if text == "-c" or text == "-":
            return []
        if text.startswith("-"):
            position += 2 if text in ("-W", "-X") else 1
        elif words[position].spreads:
            position += 1
        else:
            break
    if position >= len(words):
        return []
    script = words[position].text
    if script.rpartition("/")[2] in ("torchrun", "deepspeed", "accelerate"):
        return words_launches(words[position:], place, scope, environment)
    if script.endswith("torch/distributed/run.py"):
        return [_launch("torchrun", head, words[position + 1 :], place, environment)]
    if script.endswith("torch/distributed/launch.py"):
        return [_launch("torch.distributed.launch", head, words[position + 1 :], place, environment)]
    if not shown(script).endswith(".py") and OPEN not in script:
        return []
    return [_program_launch(head, script, False, words[position + 1 :], place, environment)]


def _base(kind: str, head: Word, place: Place, environment: dict[str, Argument]) -> Launch:
    return Launch(
        kind=kind,
        path=place.path,
        line=head.line,
        environment=environment,
        outer=place.outer,
        background=place.background,
        loops=place.loops,
        branch=place.branch,
        order=place.order,
        devices_per_node=place.outer.devices_per_node if place.outer else None,
    )


def _program_launch(
    head: Word, script: str, is_module: bool, rest: tuple[Word, ...], place: Place, environment: dict[str, Argument]
) -> Launch:
    arguments, positional = read_arguments(rest)
    base = _base("python", head, place, environment)
    outer = place.outer if place.outer is not None and place.outer.kind not in ("batch job", "ssh") else None
    return replace(
        base,
        script=script,
        is_module=is_module,
        arguments=arguments,
        positional=positional,
        words=rest,
        nodes=outer.nodes if outer else 1,
        processes_per_node=outer.tasks_per_node if outer else 1,
        world_size=outer.world_size if outer else 1,
    )


def _launch(kind: str, head: Word, words: tuple[Word, ...], place: Place, environment: dict[str, Argument]) -> Launch:
    """A launcher that starts one process per device on its node."""
    options, rest = read_options(words, GRAMMARS[kind])
    script = rest[0].text if rest else None
    arguments, positional = read_arguments(rest[1:])
    return replace(
        _base(kind, head, place, environment),
        script=script,
        is_module=options.get("module") is not None,
        options=options,
        arguments=arguments,
        positional=positional,
        words=rest[1:],
    )


def _step(
    name: str, head: Word, words: tuple[Word, ...], place: Place, scope: Scope, environment: dict[str, Argument]
) -> list[Launch]:
    """`srun …` and `mpirun …`: the step itself, and what it starts."""
    if name == "sbatch":
        for position, word in enumerate(words):
            if word.text.startswith("--wrap"):
                text = word.text.partition("=")[2] or (words[position + 1].text if position + 1 < len(words) else "")
                options, _ = read_options(words, SRUN)
                job = slurm.step("batch job", place.path, head.line, options, None)
                return _text_launches(Word(text, word.line), replace(place, job=job, outer=job), scope, False)
        return []
    options, rest = read_options(words, MPIRUN if name in MPI else SRUN)
    if name == "srun":
        step = slurm.step("srun", place.path, head.line, options, place.job)
    else:
        step = _mpi_step(head, options, place)
        for item in options:
            if item.name == "x" and item.value and "=" in item.value:
                key, _, value = item.value.partition("=")
                environment = {**environment, key: Argument(key, value, item.line, key)}
    step = replace(
        step, outer=place.outer, environment=environment, background=place.background, loops=place.loops,
        branch=place.branch, order=place.order,
    )  # fmt: skip
    inner = words_launches(rest, replace(place, outer=step), scope, environment)
    return [step, *inner] if inner else []


def _mpi_step(head: Word, options: Options, place: Place) -> Launch:
    world = options.number("n")
    per_node = options.number("ppn") or (1 if options.get("pernode") else None)
    hosts = options.get("host")
    named = hosts.value.split(",") if hosts and hosts.value and OPEN not in hosts.value else []
    nodes = len({host.partition(":")[0] for host in named}) or None  # a host that is named twice is one node
    if nodes is None and world and per_node:
        nodes = -(-world // per_node)
    return Launch(
        "mpirun", place.path, head.line, options=options,
        nodes=nodes, processes_per_node=per_node, tasks_per_node=per_node,
        world_size=world or (nodes * per_node if nodes and per_node else None),
        devices_per_node=place.job.devices_per_node if place.job else None,
    )  # fmt: skip


def _tpu(head: Word, words: tuple[Word, ...], place: Place, scope: Scope) -> list[Launch]:
    """`gcloud compute tpus tpu-vm ssh NAME --worker=all --command="…"`."""
    names = [word.text for word in words]
    verb = next((number for number, text in enumerate(names) if text in ("ssh", "scp", "create")), None)
    if verb is None or not {"tpu-vm", "queued-resources"} & set(names[:verb]):
        return []
    options: list[Argument] = []
    rest = words[verb + 1 :]
    command: Word | None = None
    positional: list[Word] = []
    while rest:
        read, behind = read_options(rest, GCLOUD)
        options += read.items
        spent = rest[: len(rest) - len(behind)]
        if spent and spent[-1].text == "--":
            command = Word(" ".join(word.text for word in behind), behind[0].line if behind else head.line)
            break
        positional += behind[:1]
        rest = behind[1:]
    spreading = [word for word in words if word.spreads]
    if not positional and len(spreading) == 1 and words[verb + 1] is spreading[0]:
        positional, spreading = spreading, []  # `ssh $NAME`: there has to be a name
    settings = Options(tuple(options), not spreading)
    if command is None and (option := settings.get("command")) is not None and option.value is not None:
        line = next((word.line for word in words if word.text.startswith("--command=")), option.line)
        command = Word(option.value, line)
    kind = "tpu-vm ssh" if names[verb] == "ssh" else f"tpu-vm {names[verb]}"
    step = Launch(
        kind, place.path, head.line, script=positional[0].text if positional else None,
        options=settings, outer=place.outer,
        background=place.background, loops=place.loops, branch=place.branch, order=place.order,
    )  # fmt: skip
    if command is None:
        return [step]
    each_node = (settings.get("worker") or Argument("", "", 0)).value == "all"
    return [step, *_text_launches(command, replace(place, outer=step), scope, each_node)]
