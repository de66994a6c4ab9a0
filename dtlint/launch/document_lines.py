"""What does one line of a document start, and how?"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

BESIDE_TASKS = (
    r"torchrun|torch\.distributed|distributed\.run|accelerate|deepspeed|horovodrun|torch_xla"
    r"|xla_dist|torchx|\bray\b|--nproc|--num_processes|\bkubectl\b|\bcolossalai\b|\bgpu-vm\b|tpu-vm"
)
BESIDE_SLURM = BESIDE_TASKS + r"|mpirun|mpiexec"
LAUNCHERS = re.compile(BESIDE_SLURM + r"|\bsrun\b")
IN_A_POD = re.compile(r"\btpu-vm\b")
NUMBERING = re.compile(r"torch\.distributed\.launch\b")
BY_PATH = re.compile(r"\S*\btorch/distributed/(launch|run)\.py\b")  # the launcher as a file, where it is installed
ONE_LAUNCHER = re.compile(r"\btorchrun\b|torch\.distributed\.(?:launch|run)\b|\btorchx\s+run\b.*\s-j\s*1x\d")
ELSEWHERE = re.compile(
    r"--(?:nnodes|node[-_]rank|master[-_]addr|rdzv[-_]endpoint)\b(?![= ][\"']?(?:1\b|0\b|localhost|127(?:\.\d+){3}))"
    r"|\b(?:srun|mpirun|mpiexec|horovodrun|kubectl|pdsh|ssh)\b"
)
SEVERAL_NODES = re.compile(r"\s--num[-_](?:nodes|machines)\b(?![= ]+1(?![\w$.]))")
ONE_PROCESS = re.compile(
    r"\s--(?:(?:nproc[-_]per[-_]node|num_gpus|num_processes)[= ]+1(?![\w.,*$%-])|include[= ]+[\w.-]+:\d+(?![\w,:@]))"
    r"|\btorchx\s+run\b.*\s-j\s*1x1(?![\w.,])"  # nodes, and processes on each of them
)
COUNTED = re.compile(r"\s--nproc|\s-j\b|\s[\"']?\$")  # how many processes, or a variable that may tell
STARTS_MORE = re.compile(BESIDE_TASKS)
ONE_STEP = re.compile(
    r"\b(?:mpirun|mpiexec)\b.*?\s-(?:n|np)\s+1(?![\w.,*$%-])|\bsrun\b.*?\s(?:-n\s*|--ntasks[= ])1(?![\w.,*$%-])"
)
SHOWN = re.compile(r"\b(?:CUDA|HIP|ROCR)_VISIBLE_DEVICES=")
ONE_SHOWN = re.compile(r"\b(?:CUDA|HIP|ROCR)_VISIBLE_DEVICES=[\"']?\d+[\"']?(?![\w,$])")
BY_OTHERS = re.compile(BESIDE_SLURM + r"|\bsrun\b.*\s(?:-n|--ntasks)")
PROGRAM = re.compile(r"(?<![\w./-])(/?(?:[\w.-]+/)*[\w-]+\.py)\b")
MODULE = re.compile(r"-m\s+([\w.]+)")
CONFIGURED = re.compile(r"\baccelerate\s+launch\b.*\s--config[-_]file[= ]+[\"']?([\w./-]+)")
# options that Transformers' and DeepSpeed's own programs take, with a configuration whose name tells the stage
SHARDING = re.compile(
    r"\s--deepspeed(?:_config)?[= ]+[\"']?[\w./-]*(?:zero|stage|ds|z)[-_]?3"
    r"|\s--fsdp[= ]+[\"']?(?:full_shard|shard_grad_op|hybrid_shard)",
    re.I,
)
OPTION = re.compile(r"\s--([A-Za-z][\w-]*)")
ANY_OPTION = re.compile(r"\$[@*]|\$\{[@*]|\.py[^-\n]*\s\$")  # all arguments, or a variable before any option
# `python tasks/{tldr, hh}/train.py`: the reader is to choose, with a space that no shell would take
ONE_OF = re.compile(r"\{([\w.-]+(?:, *[\w.-]+)+)\}(?=[\w./-]*\.py\b)")
# a word may hold variables of its own, but not begin with one or with what a command says
PLAIN = r"""(?:"((?!\$)(?:[^"$`\n]|\$(?!\())*)"|'([^'\n]*)'|([\w./:-]+))"""
ASSIGNED = re.compile(rf"^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)={PLAIN}[ \t]*$", re.M)
USED = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
OF_PYTHON = r"(?:-[bBdEiIOPqsSuvx]+\s+|-[WX]\s*\S+\s+)*"  # `-u`, `-W ignore`
PYTHON = rf"python3?(?:\.\d+)?\s+{OF_PYTHON}"
# `uv run --extra gpu python`, `conda run -n work python`; `uv run` takes a program without the word
RUN = (
    r"(?:uv|poetry|pixi|pipenv|rye|pdm|hatch|conda|mamba|micromamba)\s+run\s+"
    r"(?:-\S+\s+(?:(?!python)[\w./:-]+\s+)?)*?"
)
BEFORE = r"(?:[A-Z_][A-Z0-9_]*=\S*\s+|(?:nohup|time|exec|env)\s+)*"
ALONE = re.compile(rf"^[\s>$`]*{BEFORE}(?:{RUN}(?:{PYTHON})?|{PYTHON})(?:(?:\./)?([\w./-]+\.py)\b|-m\s+([\w.]+))")


@dataclass(frozen=True, slots=True)
class About:
    """What a document as a whole says of each of its lines."""

    batch: bool  # it is a batch job
    one_node: bool
    one_task: bool  # on one device, with no more than the one task a job gets by default
    to_be_set: bool  # the reader is told to put in the number of processes
    one_device: bool = False  # what stands above leaves one device to what comes now


@dataclass(frozen=True, slots=True)
class Start:
    """What one line starts. Programs are paths; `*/train.py` is any of this name."""

    named: frozenset[str]  # all it names, as files or as modules
    scripts: frozenset[str]
    alone: str | None  # what it starts by itself; None where a launcher does, or something nobody knows
    options: frozenset[str]  # `*` where nobody knows which
    folders: frozenset[str]  # where a launcher starts programs
    by_launcher: bool
    one_machine: bool
    in_a_pod: bool  # on the hosts of a pod of TPUs
    one_process: bool
    one_device: bool  # it shows the program one device, whatever starts it
    numbers: bool  # the old launcher, which passes the local rank as an option
    windows: bool  # it says how many batches make a step
    configuration: str | None  # the launcher's
    shards: bool  # it tells a trainer to keep a part of the parameters on each rank


def start(line: str, about: About, document: str, programs: Collection[str]) -> Start | None:
    line = BY_PATH.sub(r"-m torch.distributed.\1", line)
    by_launcher = LAUNCHERS.search(line) is not None
    begun = ALONE.match(line)
    if not (by_launcher or begun or about.batch or "$" in line):
        return None
    scripts = {place_of(one.group(1), document, programs) for one in PROGRAM.finditer(line)}
    named = scripts | {place_of(file_of(one.group(1)), document, programs) for one in MODULE.finditer(line)}
    alone = None
    if begun and not by_launcher and not about.batch:
        alone = place_of(begun.group(1) or file_of(begun.group(2)), document, programs)
    # prose names launchers, too: "install accelerate first"
    launching = by_launcher and (named or "$" in line)
    configuration = CONFIGURED.search(line)
    return Start(
        named=frozenset(named),
        scripts=frozenset(scripts),
        alone=alone,
        options=options_in(line),
        folders=folders(named, document, programs) if launching else frozenset(),
        by_launcher=by_launcher,
        one_machine=on_one_machine(line, about),
        in_a_pod=IN_A_POD.search(line) is not None,
        one_process=as_one_process(line, about),
        one_device=on_one_device(line, about),
        numbers=NUMBERING.search(line) is not None and "use_env" not in line and "use-env" not in line,
        windows=by_launcher and "gradient_accumulation_steps" in line,
        configuration=None if configuration is None else posixpath.normpath(configuration.group(1)),
        shards=SHARDING.search(line) is not None,
    )


def on_one_machine(line: str, about: About) -> bool:
    here = about.one_node or not (about.batch or ELSEWHERE.search(line))
    return ONE_LAUNCHER.search(line) is not None and here


def on_one_device(line: str, about: About) -> bool:
    shown = ONE_SHOWN.search(line) is not None if SHOWN.search(line) else about.one_device
    return shown and not (about.batch or ELSEWHERE.search(line))


def as_one_process(line: str, about: About) -> bool:
    if about.one_task and not BY_OTHERS.search(line):
        return True
    if ONE_STEP.search(line) and not STARTS_MORE.search(line):
        return True
    several = about.batch or about.to_be_set or ELSEWHERE.search(line) or SEVERAL_NODES.search(line)
    untold = ONE_LAUNCHER.search(line) is not None and COUNTED.search(line) is None  # torchrun starts one, then
    return not several and (ONE_PROCESS.search(line) is not None or (untold and on_one_device(line, about)))


def lines_of(text: str) -> Iterator[str]:
    """The lines, one for each program where they leave the choice, with what the variables in them stand for."""
    for line in filled_in(text.replace("\\\n", " ")).split("\n"):
        choice = ONE_OF.search(line)
        if choice is None:
            yield line
            continue
        for name in choice.group(1).split(","):
            yield line[: choice.start()] + name.strip() + line[choice.end() :]


def filled_in(text: str) -> str:
    """`GPUS=1` and `torchrun --nproc_per_node=$GPUS train.py`: the word in the place of its name, where one is given,
    and no other."""
    words: dict[str, set[str]] = {}
    for name, quoted, single, bare in ASSIGNED.findall(text):
        words.setdefault(name, set()).add(quoted or single or bare)
    given = {name: next(iter(found)) for name, found in words.items() if len(found) == 1 and not varies(name, text)}
    return USED.sub(lambda use: given.get(use.group(1) or use.group(2), use.group()), text) if given else text


def varies(name: str, text: str) -> bool:
    """Is the variable given something else as well: by a loop, by somebody who types, or by the shell?"""
    return re.search(rf"\b(?:for|read)\s[^\n]*\b{name}\b|\b{name}(?:\+=|=[\"']?[$`])", text) is not None


def file_of(module: str) -> str:
    return f"{module.replace('.', '/')}.py"


def options_in(line: str) -> frozenset[str]:
    """The options a line of the shell gives, as a program names them; `*` where a variable may hold any."""
    found = frozenset(option.replace("-", "_") for option in OPTION.findall(line))
    return found | {"*"} if ANY_OPTION.search(line) else found


def place_of(written: str, document: str, programs: Collection[str]) -> str:
    """The program that a document names, from the folder it lies in or one above; `*/train.py` where there is none."""
    for folder in PurePosixPath(document).parents:
        place = posixpath.normpath(posixpath.join(folder, written))
        if place in programs:
            return place
    return "*" + posixpath.normpath("/" + written.lstrip("/"))


def folders(named: Collection[str], document: str, programs: Collection[str]) -> frozenset[str]:
    """Where does a launcher start programs? Where the document lies, if nobody knows which; `other/main.py` of another
    project lies in a folder of its own."""
    foreign = {place[2:] for place in named if is_foreign(place, programs)}
    known = {posixpath.dirname(place) for place in named if not place.startswith("*/")}
    return frozenset(known | {posixpath.dirname(place) for place in foreign} or {posixpath.dirname(document)})


def is_foreign(place: str, programs: Collection[str]) -> bool:
    """Is it written with the folder it lies in, and does no program here have its name?"""
    folder, name = posixpath.split(place[2:])
    written = place.startswith("*/") and folder and not set("$<>{") & set(folder)
    return bool(written) and all(posixpath.basename(path) != name for path in programs)
