"""Which launch files are there, what do they say, and which settings file belongs to which launch?"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dtlint.launch import containers, makefiles, settings, topology
from dtlint.launch.commands import Place, script_launches
from dtlint.launch.files import YAML_SUFFIXES, is_shell
from dtlint.launch.model import Argument, Configuration, Launch, LaunchFile
from dtlint.launch.shell_values import Scope, known
from dtlint.launch.shell_words import ShellProblem
from dtlint.launch.tree import Tree, is_template, read_json, read_yaml
from dtlint.source.text import Incomplete, SourceFile, decode, read, read_bytes

FOLDERS = 3  # in which the scripts of a script are looked for: its own, and those above
LARGEST_SCRIPT = 256 * 1024
EDITORS = frozenset({".vscode", ".devcontainer", ".idea"})
# A cheap look before any parsing: a file without one of these starts nothing we know of. What cannot be parsed is
# worth a word only where one of the sure signs says that it was meant as a launch file.
SHELL_SIGNS = re.compile(
    rb"torchrun|torch\.distributed|accelerate[ -]launch|deepspeed |\bsrun |#SBATCH|mpirun |mpiexec |tpu-vm"
    rb"|queued-resources"
)
SHELL_TOKENS = re.compile(SHELL_SIGNS.pattern + rb"|accelerate|deepspeed|python|\.py\b")
DATA_KINDS = (
    rb"PyTorchJob|TrainJob|TrainingRuntime|JobSet|compute_environment|num_machines|num_nodes"
    rb"|train_batch_size|train_micro_batch_size_per_gpu|zero_optimization"
)
# a command line is a sign as well, also in a file that cannot be parsed
DATA_SIGNS = re.compile(DATA_KINDS + rb"|torchrun +-|torch\.distributed\.(?:run|launch)|accelerate launch|tpu-vm ssh")
DATA_TOKENS = re.compile(DATA_KINDS + rb"|torchrun|torch\.distributed|accelerate|deepspeed|tpu-vm")


@dataclass(frozen=True, slots=True)
class Launches:
    """All launches and settings of a run, ready for the rules."""

    files: tuple[LaunchFile, ...] = ()
    problems: tuple[Incomplete, ...] = ()
    notices: tuple[str, ...] = ()
    launches: tuple[Launch, ...] = ()
    configurations: tuple[Configuration, ...] = ()
    texts: dict[str, list[str]] = field(default_factory=dict, compare=False)

    def __iter__(self) -> Iterator[Launch]:
        return iter(self.launches)

    def in_file(self, path: str) -> list[Launch]:
        """Of the launches that reading this file led to, those that other scripts make included."""
        return [launch for launch in self.launches if (launch.read_in or launch.path) == path]

    def users_of(self, configuration: Configuration) -> list[Launch]:
        """The launches that are given this settings file."""
        return [
            launch
            for launch in self.launches
            if any(
                item is not None and item.path == configuration.path
                for item in (launch.configuration, launch.deepspeed)
            )
        ]

    def of_script(self, path: str) -> list[Launch]:
        """The launches that start the Python file `path` (as written, or its module)."""
        stem = path.removesuffix(".py")
        dotted = stem.replace("/", ".")
        found = []
        for launch in self.launches:
            script = launch.script or ""
            if launch.is_module:
                same = dotted == script or dotted.endswith("." + script) or dotted == script + ".__main__"
            else:
                bare = posixpath.normpath(script).removeprefix("./")
                beside = posixpath.normpath(posixpath.join(posixpath.dirname(launch.path), bare))
                same = path in (bare, beside) or path.endswith("/" + bare.lstrip("./")) or bare.endswith("/" + path)
            if same and script:
                found.append(launch)
        return found

    def line(self, path: str, number: int) -> str:
        rows = self.texts.get(path, [])
        return rows[number - 1] if 0 < number <= len(rows) else ""


def is_launch_file(path: str, data: bytes) -> bool:
    """Could this file start a distributed program, or configure the start of one?"""
    lower = path.lower()
    if EDITORS.intersection(lower.split("/")):
        return False  # JSON with comments and trailing commas, and never what starts a job
    if is_shell(path):
        return SHELL_TOKENS.search(data) is not None
    return lower.endswith((*YAML_SUFFIXES, ".json")) and DATA_TOKENS.search(data) is not None


def passed_over(file: SourceFile) -> str:
    """A word about a YAML or JSON file that was asked for by name, cannot be parsed, and shows no sign of a launch."""
    data = read_bytes(file)
    if isinstance(data, Incomplete) or is_launch_file(file.path, data):
        return ""
    source = decode(data, file.path)
    problems = () if isinstance(source, Incomplete) else read_text(file.path, source.text).problems
    return f"{file.path}:{problems[0].line}: {problems[0].reason}; not read as a launch file" if problems else ""


def load(files: Iterable[SourceFile]) -> Launches:
    """Read and join. Files that start nothing are left out; those that cannot be read are problems."""
    read_files: list[LaunchFile] = []
    places: dict[str, Path] = {}
    problems: list[Incomplete] = []
    templates: list[str] = []
    for file in files:
        data = read_bytes(file)
        if isinstance(data, Incomplete):
            problems.append(data)
            continue
        if not is_launch_file(file.path, data):
            continue
        source = decode(data, file.path)
        if isinstance(source, Incomplete):
            problems.append(source)
            continue
        one = read_text(file.path, source.text, _beside(file))
        places[file.path] = file.location
        shell = is_shell(file.path)
        if one.problems and not shell and is_template(source.text):
            templates.append(file.path)
        elif (SHELL_SIGNS if shell else DATA_SIGNS).search(data):
            problems += one.problems
        if one.launches or one.configurations:
            read_files.append(one)
    notices = [f"{path}: a template, not read as a launch file" for path in templates[:3]]
    if len(templates) > 3:
        notices.append(f"and {len(templates) - 3} more templates")
    return _joined(read_files, problems, notices, places)


def _beside(file: SourceFile) -> Callable[[str], tuple[str, str] | None]:
    """Finds another script by the name that one has for it: from its own folder, or from one of those above."""

    def find(name: str) -> tuple[str, str] | None:
        if not known(name) or not name or name.startswith(("/", "~", "-")):
            return None
        folder, shown = file.location.parent, posixpath.dirname(file.path)
        for _ in range(FOLDERS):
            location = folder / name
            if location.is_file() and location.stat().st_size <= LARGEST_SCRIPT:
                path = posixpath.normpath(posixpath.join(shown, name))
                source = read(SourceFile(path, location))
                return None if isinstance(source, Incomplete) else (path, source.text)
            folder, shown = folder.parent, posixpath.join(shown, "..")
        return None

    return find


def read_text(path: str, text: str, beside: Callable[[str], tuple[str, str] | None] = lambda name: None) -> LaunchFile:
    """What one file says, by the kind of file its name promises."""
    lower = path.lower()
    if lower.endswith(".json"):
        tree = read_json(path, text)
        return (
            LaunchFile(path, text, problems=(tree,)) if isinstance(tree, Incomplete) else _documents(path, text, [tree])
        )
    if lower.endswith(YAML_SUFFIXES):
        trees = read_yaml(path, text)
        return (
            LaunchFile(path, text, problems=(trees,))
            if isinstance(trees, Incomplete)
            else _documents(path, text, trees)
        )
    try:
        script = makefiles.as_script(text) if makefiles.is_makefile(path) else text
        return LaunchFile(path, text, tuple(script_launches(script, Place(path), scope=Scope(beside=beside))))
    except ShellProblem as problem:
        return LaunchFile(path, text, problems=(Incomplete(path, problem.line, f"not valid shell: {problem.message}"),))
    except RecursionError:
        return LaunchFile(path, text, problems=(Incomplete(path, 1, "not valid shell: nested too deeply"),))


def _documents(path: str, text: str, trees: list[Tree]) -> LaunchFile:
    launches: list[Launch] = []
    configurations: list[Configuration] = []
    problems: list[Incomplete] = []
    for tree in trees:
        started = containers.read_document(path, tree)
        launches += started.launches
        problems += started.problems
        if (found := settings.configuration(path, tree)) is not None:
            configurations.append(found)
    return LaunchFile(path, text, tuple(launches), tuple(configurations), tuple(problems))


def _joined(
    files: list[LaunchFile], problems: list[Incomplete], notices: list[str], places: dict[str, Path]
) -> Launches:
    shelf = _Shelf({item.path: item for file in files for item in file.configurations}, places, problems)
    launches: list[Launch] = []
    for file in files:
        launches += [_complete(launch, shelf) for launch in file.launches]
    return Launches(
        files=tuple(files),
        problems=tuple(shelf.problems),
        notices=tuple(notices),
        launches=tuple(launches),
        configurations=tuple(shelf.known.values()),
        texts={file.path: file.text.split("\n") for file in files} | shelf.texts,
    )


def _complete(launch: Launch, shelf: _Shelf) -> Launch:
    """The launch with its settings files and what follows from them."""
    launch = replace(launch, configuration=_named(launch, shelf))
    launch = topology.complete(launch)
    return replace(launch, deepspeed=_deepspeed(launch, shelf))


def _named(launch: Launch, shelf: _Shelf) -> Configuration | None:
    if launch.kind == "accelerate":
        return shelf.find(launch, launch.options.get("config_file"), "accelerate")
    if launch.kind == "deepspeed":
        return shelf.find(launch, launch.options.get("hostfile"), "hostfile")
    return None


def _deepspeed(launch: Launch, shelf: _Shelf) -> Configuration | None:
    option = launch.arguments.get("deepspeed_config", "deepspeed") or launch.option(
        "deepspeed_config_file", "deepspeed_config.deepspeed_config_file"
    )
    if option is None:
        option = next(
            (Argument("ds", word.text, word.line) for word in launch.positional if word.text.startswith("deepspeed=")),
            None,
        )
    return shelf.find(launch, option, "deepspeed")


def programs(files: Sequence[SourceFile]) -> list[SourceFile]:
    """The Python programs that these launch files start, where they lie beside them or in the folder above."""
    found: dict[str, SourceFile] = {}
    for launch in load(files):
        for file in _of_launch(launch, files):
            found.setdefault(file.path, file)
    return list(found.values())


def _of_launch(launch: Launch, files: Sequence[SourceFile]) -> Iterator[SourceFile]:
    script = launch.script or ""
    name = script.replace(".", "/") + ".py" if launch.is_module else script
    place = next((file.location.parent for file in files if file.path == launch.path), None)
    if place is None or not known(name) or not name.endswith(".py") or name.startswith(("/", "~")):
        return
    for folder, shown in (
        (place, posixpath.dirname(launch.path)),
        (place.parent, posixpath.dirname(launch.path) + "/.."),
    ):
        if (folder / name).is_file():
            yield SourceFile(posixpath.normpath(posixpath.join(shown, name)), folder / name)


@dataclass(slots=True)
class _Shelf:
    """The settings files that are known, and those that a launch names and that lie beside it."""

    known: dict[str, Configuration]
    places: dict[str, Path]
    problems: list[Incomplete]
    texts: dict[str, list[str]] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)

    def find(self, launch: Launch, option: Argument | None, kind: str) -> Configuration | None:
        if option is None or not option.value or not known(option.value):
            return None
        name = option.value.partition("=")[2] if option.value.startswith("deepspeed=") else option.value
        if name.startswith(("/", "~")) or "\n" in name:
            return None
        beside = posixpath.dirname(launch.path)
        for candidate in dict.fromkeys(
            posixpath.normpath(posixpath.join(start, name)) for start in (beside, "", posixpath.dirname(beside))
        ):
            found = self.known.get(candidate) or self._read(launch, candidate, kind)
            if found is not None and found.kind == kind:
                return found
        same = [item for path, item in self.known.items() if path.endswith("/" + posixpath.basename(name))]
        return same[0] if len(same) == 1 and same[0].kind == kind else None

    def _read(self, launch: Launch, path: str, kind: str) -> Configuration | None:
        """A settings file that was not among the files of the run."""
        start = self.places.get(launch.path)
        if start is None or path in self.refused:
            return None
        self.refused.add(path)
        relative = posixpath.relpath(path, posixpath.dirname(launch.path) or ".")
        location = start.parent / relative
        if not location.is_file():
            return None
        source = read(SourceFile(path, location))
        if isinstance(source, Incomplete):
            self.problems.append(source)
            return None
        found: Configuration | Incomplete | None
        if kind == "hostfile":
            found = settings.hostfile(path, source.text)
            if isinstance(found, Incomplete):
                self.problems.append(found)
                return None
        else:
            file = read_text(path, source.text)
            self.problems += file.problems
            found = file.configurations[0] if file.configurations else None
        if found is not None:
            self.known[path] = found
            self.texts[path] = source.text.split("\n")
        return found
