"""Which programs do a project's own documents start by themselves, and never by a launcher?

A serial tool beside a distributed trainer shares its code, its options and its way of asking for ranks: nothing in the
source tells the two apart. What the README and the scripts write in front of their names does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from dtlint.launch.files import SHELL_SUFFIXES, YAML_SUFFIXES, files_below
from dtlint.project.started import Started
from dtlint.source.files import Discovery
from dtlint.source.text import Incomplete, SourceFile, read

SUFFIXES = (".md", ".rst")
LAUNCHERS = re.compile(
    r"torchrun|torch\.distributed|distributed\.run|accelerate|deepspeed|\bsrun\b|mpirun|mpiexec|horovodrun|torch_xla"
    r"|xla_dist|\bray\b|--nproc|--num_processes|\bkubectl\b|\bcolossalai\b|\bgpu-vm\b|tpu-vm"
)
NUMBERING = re.compile(r"torch\.distributed\.launch\b")
ONE_LAUNCHER = re.compile(r"\btorchrun\b|torch\.distributed\.(?:launch|run)\b")
ELSEWHERE = re.compile(
    r"--(?:nnodes|node[-_]rank|master[-_]addr|rdzv[-_]endpoint)\b(?![= ]1\b|[= ]0\b|[= ]localhost|[= ]127\.0\.0\.1)"
    r"|\b(?:srun|mpirun|mpiexec|horovodrun|kubectl|pdsh|ssh)\b"
)
ONE_NODE = re.compile(r"^#SBATCH\s+(?:--nodes=|-N\s*)1\b", re.M)
BATCH = re.compile(r"^#SBATCH|^#PBS|^#BSUB", re.M)
PROGRAM = re.compile(r"(?<![\w./-])((?:[\w.-]+/)*[\w-]+\.py)\b")
MODULE = re.compile(r"-m\s+([\w.]+)")
ALONE = re.compile(r"^[\s>$`]*(?:[A-Z_][A-Z0-9_]*=\S*\s+)*python3?(?:\.\d+)?\s+(?:-u\s+)?(?:\./)?([\w./-]+\.py)\b")


def document_files(paths: Sequence[str], exclude: Sequence[str] = ()) -> Discovery:
    """The documents below the directories that were asked for."""
    return files_below([Path(path) for path in paths if Path(path).is_dir()], SUFFIXES, exclude)


def started(files: Iterable[SourceFile]) -> Started:
    """What documents and shell scripts say."""
    alone: set[str] = set()
    launched: set[str] = set()
    numbered: set[str] = set()
    on_one: set[str] = set()
    on_several: set[str] = set()
    launching = False
    for file in files:
        if not file.path.lower().endswith((*SUFFIXES, *SHELL_SUFFIXES, *YAML_SUFFIXES)):
            continue
        source = read(file)
        if isinstance(source, Incomplete):
            continue
        batch = BATCH.search(source.text) is not None
        one_node = ONE_NODE.search(source.text) is not None
        for line in source.text.replace("\\\n", " ").split("\n"):
            by_launcher = LAUNCHERS.search(line) is not None
            # prose names launchers, too: "install accelerate first"
            launching |= by_launcher and bool("$" in line or PROGRAM.search(line) or MODULE.search(line))
            begun = ALONE.match(line)
            if begun and not by_launcher and not batch:
                alone.add(begun.group(1))
            elif by_launcher or batch or "$" in line or begun:
                launched.update(found.group(1) for found in PROGRAM.finditer(line))
                launched.update(f"{found.group(1).replace('.', '/')}.py" for found in MODULE.finditer(line))
            if by_launcher:
                one = ONE_LAUNCHER.search(line) and (one_node or not (batch or ELSEWHERE.search(line)))
                (on_one if one else on_several).update(found.group(1) for found in PROGRAM.finditer(line))
            if NUMBERING.search(line) and "use_env" not in line and "use-env" not in line:
                numbered.update(found.group(1) for found in PROGRAM.finditer(line))
    return Started(
        frozenset(alone), frozenset(launched), launching, frozenset(numbered), frozenset(on_one), frozenset(on_several)
    )
