"""Which programs do a project's own documents start by themselves, and never by a launcher?

A serial tool beside a distributed trainer shares its code, its options and its way of asking for ranks: nothing in the
source tells the two apart. What the README, the scripts and the words at the head of the programs write in front of
their names does.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dtlint.launch import accelerate_files
from dtlint.launch.document_lines import ONE_SHOWN, RUN, About, Start, lines_of, start
from dtlint.launch.files import SHELL_SUFFIXES, YAML_SUFFIXES, files_below
from dtlint.project import pins
from dtlint.project.started import Started
from dtlint.source.files import Discovery, shown_path
from dtlint.source.text import Incomplete, SourceFile, read

SUFFIXES = (".md", ".rst")
TOLD_TO_PEOPLE = (*SUFFIXES, ".py")
# "set the `--num_gpus` flag as it fits": whoever reads that puts a number of their own there
LEFT_TO_THE_READER = re.compile(r"\s[`\"']*--(?:nproc[-_]per[-_]node|num_gpus|num_processes)[`\"']+(?=[\s.,;:)])")
BATCH = re.compile(r"^#SBATCH|^#PBS|^#BSUB", re.M)
ONE_NODE = re.compile(r"^#SBATCH\s+(?:--nodes=|-N\s*)1\b", re.M)
ONE_DEVICE = re.compile(r"^#SBATCH\s+--(?:gres=gpu(?::[a-z]\w*)?|gpus(?:-per-node|-per-task)?)[:=]1\b", re.M)
MORE = re.compile(r"^#SBATCH\s+(?:--(?:nodes|ntasks(?:-per-node)?)=|-[nN]\s*)(?!\s|1\b)", re.M)
HEAD = re.compile(r'(?:[ \t]*(?:#[^\n]*)?\n)*(?:[rRuU]?(?:"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'))?', re.S)
MARGIN = re.compile(r"^[ \t]*#+(?!SBATCH|PBS|BSUB)", re.M)
EXPORT = re.compile(r"\s*export\s+(?:CUDA|HIP|ROCR)_VISIBLE_DEVICES=")
# prose at the head of a program names launchers more often than it starts one
BY_PYTHON = rf"(?:{RUN})?python3?(?:\.\d+)?\s+\S*(?:\.py\b|-)"
BY_LAUNCHER = r"(?:torchrun|accelerate\s+launch|deepspeed|srun|mpirun|mpiexec|horovodrun)\s"
COMMAND = re.compile(
    r"^[\s>$`\"']*(?:[\w ]{0,30}:\s+`*)?"
    rf"(?P<command>#.*|(?:[A-Z_][A-Z0-9_]*=\S*\s+)*(?:{BY_PYTHON}|{BY_LAUNCHER}).*)"
)


@dataclass(frozen=True, slots=True)
class Document:
    """Something that people read or a shell runs; its lines start programs."""

    path: str
    text: str


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


def started(files: Iterable[SourceFile], programs: Mapping[str, str] | None = None) -> Started:
    """What documents, shell scripts and the heads of the programs (path and text) say of these programs, and of such
    as are not known here."""
    known = programs or {}
    written = [document for file in files if (document := opened(file)) is not None]
    settings = {one.path: one.text for one in written if one.path.lower().endswith(YAML_SUFFIXES)}
    documents = [*written, *(head for path, text in known.items() if (head := head_of(path, text)) is not None)]
    starts = [one for document in documents for one in starts_in(document, known)]
    alone = [one for one in starts if one.alone is not None]
    others = [one for one in starts if one.alone is None]
    by_launcher = [one for one in starts if one.by_launcher]
    launched = named(others)
    configured: dict[str, set[str]] = {}  # what a launcher starts with this configuration
    for one in starts:
        if one.configuration is not None:
            configured.setdefault(one.configuration, set()).update(one.named)
    sharding, told = (
        accelerate_files.told_by({path: asked(text) for path, text in settings.items()}, configured, known, launched)
        for asked in (accelerate_files.divides, accelerate_files.accumulates)
    )
    return Started(
        alone=frozenset(one.alone for one in alone if one.alone is not None),
        launched=launched,
        launching=frozenset().union(*(one.folders for one in by_launcher)),
        numbered=named(one for one in starts if one.numbers),
        on_one=scripts(one for one in by_launcher if one.one_machine),
        on_several=scripts(one for one in by_launcher if not one.one_machine),
        on_pods=scripts(one for one in by_launcher if one.in_a_pod),
        as_one=named(one for one in others if one.one_process),
        as_several=named(one for one in others if not one.one_process),
        one_device=named(one for one in starts if one.one_device),
        more_devices=named(one for one in starts if not one.one_device),
        asked_alone=options(alone),
        asked_launched=options(others),
        always_asked=in_all(others),
        sharding=sharding | named(one for one in starts if one.shards),
        accumulating=told | named(one for one in starts if one.windows),
    )


def named(starts: Iterable[Start]) -> frozenset[str]:
    return frozenset().union(*(one.named for one in starts))


def scripts(starts: Iterable[Start]) -> frozenset[str]:
    return frozenset().union(*(one.scripts for one in starts))


def options(starts: Iterable[Start]) -> frozenset[tuple[str, str]]:
    return frozenset((place, option) for one in starts for place in one.named for option in one.options)


def in_all(starts: Sequence[Start]) -> frozenset[tuple[str, str]]:
    """The options that each of these starts gives to a program, wherever it starts it."""
    given: dict[str, frozenset[str]] = {}
    for one in starts:
        for place in one.named:
            given[place] = given.get(place, one.options) & one.options
    return frozenset((place, option) for place, options_there in given.items() for option in options_there)


def opened(file: SourceFile) -> Document | None:
    if not file.path.lower().endswith((*SUFFIXES, *SHELL_SUFFIXES, *YAML_SUFFIXES)):
        return None
    source = read(file)
    return None if isinstance(source, Incomplete) else Document(file.path, source.text)


def head_of(path: str, text: str) -> Document | None:
    """What stands at the top of a program, before its first statement: who starts it is told there, too."""
    head = HEAD.match(text)
    if head is None or ".py" not in head.group():
        return None
    lines = MARGIN.sub("", head.group()).replace("\\\n", " ").split("\n")
    return Document(path, "\n".join(found.group("command") for line in lines if (found := COMMAND.match(line))))


def starts_in(document: Document, programs: Collection[str]) -> Iterator[Start]:
    about = About(
        batch=BATCH.search(document.text) is not None,
        one_node=ONE_NODE.search(document.text) is not None,
        one_task=is_one_task(document.text),
        to_be_set=document.path.lower().endswith(TOLD_TO_PEOPLE)
        and LEFT_TO_THE_READER.search(document.text) is not None,
    )
    for line in lines_of(document.text):
        if EXPORT.match(line) and document.path.lower().endswith(SHELL_SUFFIXES):
            about = replace(about, one_device=ONE_SHOWN.search(line) is not None)
        found = start(line, about, document.path, programs)
        if found is not None:
            yield found


def is_one_task(text: str) -> bool:
    """A batch job on one device that asks for no more than the one task it gets by default."""
    return ONE_DEVICE.search(text) is not None and not MORE.search(text)
