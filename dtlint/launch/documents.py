"""Which programs do a project's own documents start by themselves, and never by a launcher?

A serial tool beside a distributed trainer shares its code, its options and its way of asking for ranks: nothing in the
source tells the two apart. What the README and the scripts write in front of their names does.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from dtlint.launch.files import SHELL_SUFFIXES, YAML_SUFFIXES, files_below
from dtlint.project import pins
from dtlint.project.started import Started, same
from dtlint.source.files import Discovery, shown_path
from dtlint.source.text import Incomplete, SourceFile, read

SUFFIXES = (".md", ".rst")
BESIDE_TASKS = (
    r"torchrun|torch\.distributed|distributed\.run|accelerate|deepspeed|horovodrun|torch_xla"
    r"|xla_dist|\bray\b|--nproc|--num_processes|\bkubectl\b|\bcolossalai\b|\bgpu-vm\b|tpu-vm"
)
BESIDE_SLURM = BESIDE_TASKS + r"|mpirun|mpiexec"
LAUNCHERS = re.compile(BESIDE_SLURM + r"|\bsrun\b")
NUMBERING = re.compile(r"torch\.distributed\.launch\b")
ONE_LAUNCHER = re.compile(r"\btorchrun\b|torch\.distributed\.(?:launch|run)\b")
ELSEWHERE = re.compile(
    r"--(?:nnodes|node[-_]rank|master[-_]addr|rdzv[-_]endpoint)\b(?![= ]1\b|[= ]0\b|[= ]localhost|[= ]127\.0\.0\.1)"
    r"|\b(?:srun|mpirun|mpiexec|horovodrun|kubectl|pdsh|ssh)\b"
)
SEVERAL_NODES = re.compile(r"\s--num[-_](?:nodes|machines)\b(?![= ]+1(?![\w$.]))")
ONE_PROCESS = re.compile(
    r"\s--(?:(?:nproc[-_]per[-_]node|num_gpus|num_processes)[= ]+1(?![\w.,*$%-])|include[= ]+[\w.-]+:\d+(?![\w,:@]))"
)
# "set the `--num_gpus` flag as it fits": whoever reads that puts a number of their own there
LEFT_TO_THE_READER = re.compile(r"\s[`\"']*--(?:nproc[-_]per[-_]node|num_gpus|num_processes)[`\"']+(?=[\s.,;:)])")
STARTS_MORE = re.compile(BESIDE_TASKS)
ONE_STEP = re.compile(
    r"\b(?:mpirun|mpiexec)\b.*?\s-(?:n|np)\s+1(?![\w.,*$%-])|\bsrun\b.*?\s(?:-n\s*|--ntasks[= ])1(?![\w.,*$%-])"
)
ONE_NODE = re.compile(r"^#SBATCH\s+(?:--nodes=|-N\s*)1\b", re.M)
ONE_DEVICE = re.compile(r"^#SBATCH\s+--(?:gres=gpu(?::[a-z]\w*)?|gpus(?:-per-node|-per-task)?)[:=]1\b", re.M)
MORE = re.compile(r"^#SBATCH\s+(?:--(?:nodes|ntasks(?:-per-node)?)=|-[nN]\s*)(?!\s|1\b)", re.M)
BY_OTHERS = re.compile(BESIDE_SLURM + r"|\bsrun\b.*\s(?:-n|--ntasks)")
BATCH = re.compile(r"^#SBATCH|^#PBS|^#BSUB", re.M)
PROGRAM = re.compile(r"(?<![\w./-])(/?(?:[\w.-]+/)*[\w-]+\.py)\b")
MODULE = re.compile(r"-m\s+([\w.]+)")
CONFIGURED = re.compile(r"\baccelerate\s+launch\b.*\s--config[-_]file[= ]+[\"']?([\w./-]+)")
KIND = re.compile(r"^distributed_type:\s*[\"']?(\w+)", re.M | re.I)
WINDOW = re.compile(r"^\s+(?:gradient_accumulation_steps:(?!\s*[\"']?1\b)|deepspeed_config_file:)", re.M)
ZERO_3 = re.compile(r"^\s+zero_stage:\s*3\b", re.M)
OPTION = re.compile(r"\s--([A-Za-z][\w-]*)")
ANY_OPTION = re.compile(r"\$[@*]|\$\{[@*]|\.py[^-\n]*\s\$")  # all arguments, or a variable before any option
# `python tasks/{tldr, hh}/train.py`: the reader is to choose, with a space that no shell would take
ONE_OF = re.compile(r"\{([\w.-]+(?:, *[\w.-]+)+)\}(?=[\w./-]*\.py\b)")
PLAIN = r"""(?:"([^"$`\n]*)"|'([^'\n]*)'|([\w./:-]+))"""
ASSIGNED = re.compile(rf"^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)={PLAIN}[ \t]*$", re.M)
USED = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
OF_PYTHON = r"(?:-[bBdEiIOPqsSuvx]+\s+|-[WX]\s*\S+\s+)*"  # `-u`, `-W ignore`
ALONE = re.compile(
    r"^[\s>$`]*(?:[A-Z_][A-Z0-9_]*=\S*\s+)*python3?(?:\.\d+)?\s+"
    + OF_PYTHON
    + r"(?:(?:\./)?([\w./-]+\.py)\b|-m\s+([\w.]+))"
)


def document_files(paths: Sequence[str], exclude: Sequence[str] = ()) -> Discovery:
    """The documents below the directories that were asked for, and what lists the libraries they need."""
    directories = [Path(path) for path in paths if Path(path).is_dir()]
    return files_below(directories, (*SUFFIXES, *pins.SUFFIXES), exclude, is_document)


def requirements_above(paths: Sequence[str], root: Path) -> list[SourceFile]:
    """What lists the libraries of these files or directories, in the folders around them up to the project's root."""
    here = Path.cwd()
    asked = [(here / path).resolve() for path in paths if path != "-" and (here / path).exists()]
    folders = {above for path in asked for above in path.parents if above == root or root in above.parents}
    found = [file for folder in sorted(folders) for file in sorted(folder.glob("*")) if pins.states(file)]
    return [SourceFile(shown_path(file, here), file) for file in found if file.is_file()]


def is_document(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES or pins.states(path)


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


def started(files: Iterable[SourceFile], programs: Collection[str] = ()) -> Started:
    """What documents and shell scripts say of these programs, and of such as are not known here."""
    alone: set[str] = set()
    launched: set[str] = set()
    numbered: set[str] = set()
    on_one: set[str] = set()
    on_several: set[str] = set()
    as_one: set[str] = set()
    as_several: set[str] = set()
    launching: set[str] = set()
    asked_alone: set[tuple[str, str]] = set()
    asked_launched: set[tuple[str, str]] = set()
    accumulating: set[str] = set()
    configured: dict[str, set[str]] = {}  # what a launcher starts with this configuration
    configurations: dict[str, str] = {}
    for file in files:
        if not file.path.lower().endswith((*SUFFIXES, *SHELL_SUFFIXES, *YAML_SUFFIXES)):
            continue
        source = read(file)
        if isinstance(source, Incomplete):
            continue
        if file.path.lower().endswith(YAML_SUFFIXES):
            configurations[file.path] = source.text
        batch = BATCH.search(source.text) is not None
        one_node = ONE_NODE.search(source.text) is not None
        one_task = is_one_task(source.text)
        to_be_set = file.path.lower().endswith(SUFFIXES) and LEFT_TO_THE_READER.search(source.text) is not None
        for line in lines_of(source.text):
            by_launcher = LAUNCHERS.search(line) is not None
            begun = ALONE.match(line)
            if not (by_launcher or begun or batch or "$" in line):
                continue
            scripts = {place_of(one.group(1), file.path, programs) for one in PROGRAM.finditer(line)}
            modules = (file_of(one.group(1)) for one in MODULE.finditer(line))
            named = scripts | {place_of(one, file.path, programs) for one in modules}
            if begun and not by_launcher and not batch:
                alone.add(place_of(begun.group(1) or file_of(begun.group(2)), file.path, programs))
                asked_alone |= {(place, option) for place in named for option in options_in(line)}
            else:
                launched |= named
                only = ONE_PROCESS.search(line) and not (batch or ELSEWHERE.search(line) or SEVERAL_NODES.search(line))
                only = only and not to_be_set
                only = only or (ONE_STEP.search(line) and not STARTS_MORE.search(line))
                by_task = one_task and not BY_OTHERS.search(line)
                (as_one if only or by_task else as_several).update(named)
                asked_launched |= {(place, option) for place in named for option in options_in(line)}
            if by_launcher:
                # prose names launchers, too: "install accelerate first"
                launching |= folders(named, file.path, programs) if named or "$" in line else set()
                one = ONE_LAUNCHER.search(line) and (one_node or not (batch or ELSEWHERE.search(line)))
                (on_one if one else on_several).update(scripts)
            config = CONFIGURED.search(line)
            if config is not None:
                configured.setdefault(posixpath.normpath(config.group(1)), set()).update(named)
            if "gradient_accumulation_steps" in line and by_launcher:
                accumulating |= named
            if NUMBERING.search(line) and "use_env" not in line and "use-env" not in line:
                numbered |= scripts
    sharding, told = (
        told_by({path: asked(text) for path, text in configurations.items()}, configured, programs, launched)
        for asked in (divides, accumulates)
    )
    return Started(
        frozenset(alone),
        frozenset(launched),
        frozenset(launching),
        frozenset(numbered),
        frozenset(on_one),
        frozenset(on_several),
        frozenset(as_one),
        frozenset(as_several),
        frozenset(asked_alone),
        frozenset(asked_launched),
        frozenset(sharding),
        frozenset(accumulating | told),
    )


def is_one_task(text: str) -> bool:
    """A batch job on one device that asks for no more than the one task it gets by default."""
    return ONE_DEVICE.search(text) is not None and not MORE.search(text)


def told_by(
    answers: dict[str, bool | None],
    configured: dict[str, set[str]],
    programs: Collection[str],
    launched: Collection[str],
) -> set[str]:
    """The programs that a launcher starts with a configuration of which this is so."""
    such = [path for path, answer in answers.items() if answer]
    if not configured:
        others = [path for path, answer in answers.items() if answer is False]
        return beside(such, others, programs) - set(launched)
    return {one for config, named in configured.items() if any(same(path, config) for path in such) for one in named}


def accumulates(text: str) -> bool | None:
    """Does it say how many batches make a step, or leave that to a file of DeepSpeed's, if this is a configuration of
    Accelerate?"""
    return None if KIND.search(text) is None else WINDOW.search(text) is not None


def divides(text: str) -> bool | None:
    """Does each rank keep a part of the parameters (FSDP, ZeRO-3), if this is a configuration of Accelerate?"""
    kind = KIND.search(text)
    if kind is None:
        return None
    word = kind.group(1).upper()
    return word == "FSDP" or (word == "DEEPSPEED" and ZERO_3.search(text) is not None)


def beside(dividing: Collection[str], others: Collection[str], programs: Collection[str]) -> set[str]:
    """The programs in a folder with one such configuration, which no document names, and none of another kind."""
    told = {posixpath.dirname(path) for path in others}
    folders_of = {posixpath.dirname(path) for path in dividing} - told
    return {path for path in programs if posixpath.dirname(path) in folders_of}


def file_of(module: str) -> str:
    return f"{module.replace('.', '/')}.py"


def options_in(line: str) -> set[str]:
    """The options a line of the shell gives, as a program names them; `*` where a variable may hold any."""
    found = {option.replace("-", "_") for option in OPTION.findall(line)}
    return found | {"*"} if ANY_OPTION.search(line) else found


def place_of(written: str, document: str, programs: Collection[str]) -> str:
    """The program that a document names, from the folder it lies in or one above; `*/train.py` where there is none."""
    for folder in PurePosixPath(document).parents:
        place = posixpath.normpath(posixpath.join(folder, written))
        if place in programs:
            return place
    return "*" + posixpath.normpath("/" + written.lstrip("/"))


def folders(named: Collection[str], document: str, programs: Collection[str]) -> set[str]:
    """Where does a launcher start programs? Where the document lies, if nobody knows which; `other/main.py` of another
    project lies in a folder of its own."""
    foreign = {place[2:] for place in named if is_foreign(place, programs)}
    known = {posixpath.dirname(place) for place in named if not place.startswith("*/")}
    return known | {posixpath.dirname(place) for place in foreign} or {posixpath.dirname(document)}


def is_foreign(place: str, programs: Collection[str]) -> bool:
    """Is it written with the folder it lies in, and does no program here have its name?"""
    folder, name = posixpath.split(place[2:])
    written = place.startswith("*/") and folder and not set("$<>{") & set(folder)
    return bool(written) and all(posixpath.basename(path) != name for path in programs)
