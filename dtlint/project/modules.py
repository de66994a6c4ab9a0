"""What belongs together? The files of a run as modules that import each other, parsed when somebody looks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from dtlint.ir import nodes
from dtlint.ir.lowering_state import SyntaxProblem
from dtlint.project import cache, loading, prefilter
from dtlint.project.changes import IMPORTS, WORD
from dtlint.project.circles import circles
from dtlint.project.imports import ImportLine
from dtlint.project.names import Names
from dtlint.project.pins import NO_PINS
from dtlint.project.reach import reached, turned
from dtlint.project.settings import Named, Said
from dtlint.project.started import Started
from dtlint.project.surveys import Surveys, Wanted
from dtlint.source.notebooks import Notebook, cell_of_script, read_notebook
from dtlint.source.text import Incomplete, SourceFile, decode, read_bytes


class Project:
    """`selected` are the paths worth analysing; any other module can still be looked at through `module`."""

    def __init__(
        self,
        texts: dict[str, str],
        names: Names,
        selected: tuple[str, ...],
        notebooks: dict[str, Notebook],
        trees: cache.TreeCache,
        imports: Mapping[str, Sequence[ImportLine]],
    ) -> None:
        self.paths: tuple[str, ...] = tuple(sorted(texts))
        self.selected = selected
        self.problems: list[Incomplete] = []
        self.started = Started()
        self.words: tuple[Said, ...] = ()  # what settings files say
        self.settings: tuple[Named, ...] = ()  # what they name in it
        self.pins = NO_PINS  # which versions of libraries it lets in
        self.notebooks = notebooks
        self.looked: set[str] = set()  # paths whose trees somebody asked for, beside running them
        self._texts = texts
        self._names = names
        self._imports = imports
        self._packages: frozenset[str] | None = None
        self._circles: dict[str, tuple[str, ...]] | None = None
        self._ways: tuple[dict[str, set[str]], dict[str, set[str]]] | None = None  # who imports whom, and by whom
        self._relatives: dict[str, frozenset[str]] = {}
        self._mentioned: dict[str, tuple[str, ...]] = {}
        self._trees = trees
        self._stored: dict[str, bytes] = {}
        self._outlines: dict[str, bytes] = {}  # of files that are not analysed
        self._modules: dict[str, nodes.Module] = {}

    @classmethod
    def build(
        cls,
        files: Sequence[SourceFile],
        tokens: frozenset[bytes] | None,
        jobs: int = 1,
        cache_dir: Path | None = None,
        tick: Callable[[int], None] = lambda count: None,
        leading: frozenset[bytes] = frozenset(),
        about: str | None = None,
    ) -> Project:
        """Read, select and parse. `tokens` None keeps every file; `tick(n)` hears of `n` more files being done. With
        `about`, only what imports that file or is imported by it is selected."""
        texts, contents, notebooks, problems = _read(files)
        surveys = Surveys(contents, Wanted(tuple(sorted(tokens or ())), leading), cache_dir)
        names = Names(tuple(texts), surveys.imports)

        def path_of(importer: str, module: str, level: int) -> str | None:
            dotted = names.resolve(importer, module, level)
            return None if dotted is None else names.find_module(dotted)

        everything = tuple(sorted(texts))
        selected = everything if tokens is None else prefilter.select(surveys, path_of)
        surveys.save()
        project = cls(texts, names, selected, notebooks, cache.TreeCache(cache_dir), surveys.imports)
        project.problems.extend(problems)
        if about in texts:
            project.selected = tuple(path for path in selected if path in project.relatives(about))
        project._load(jobs, tick)
        return project

    # --- names ------------------------------------------------------------------------------------------------

    def name_of(self, path: str) -> str:
        return self._names.name_of(path)

    def find_module(self, dotted: str) -> str | None:
        return self._names.find_module(dotted)

    def named(self, pattern: str) -> tuple[str, ...]:
        """The dotted names of files that look so."""
        self.looked.add(IMPORTS)
        names = map(self.name_of, self.paths)
        return tuple(sorted(name for name in names if re.fullmatch(pattern, name)))

    def find_package(self, dotted: str) -> bool:
        return self._names.find_package(dotted)

    def resolve(self, importer: str, module: str, level: int = 0) -> str | None:
        return self._names.resolve(importer, module, level)

    def circle(self, path: str) -> tuple[str, ...]:
        """The modules that import each other in a circle with this one, sorted; mostly it alone."""
        if self._circles is None:
            self._circles = circles({importer: self._edges(importer, False) for importer in self.paths})
        return self._circles[path]

    def relatives(self, path: str) -> frozenset[str]:
        """A file with all it imports, and all that import it, from however far."""
        if path not in self._relatives:
            self._relatives[path] = frozenset({path}.union(*(reached(path, edges) for edges in self._both_ways())))
        return self._relatives[path]

    def importers(self, path: str) -> set[str]:
        """The files that import this one, themselves."""
        return self._both_ways()[1].get(path, set())

    def imported(self, path: str) -> set[str]:
        """The files that this one imports, itself."""
        self.looked.add(IMPORTS)
        return self._edges(path)

    def import_lines(self, path: str) -> Sequence[ImportLine]:
        return self._imports[path]

    def packages(self) -> frozenset[str]:
        """The top-level packages that any file imports."""
        self.looked.add(IMPORTS)
        if self._packages is None:
            lines = (line for found in self._imports.values() for line in found if not line.level)
            self._packages = frozenset(line.module.partition(".")[0] for line in lines)
        return self._packages

    def imports_in_short(self) -> str:
        """All imports of all files, as one text to compare."""
        return "\n".join(
            f"{path} {line.level} {line.module} {' '.join(line.names)}"
            for path in self.paths
            for line in self._imports[path]
        )

    def _both_ways(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        self.looked.add(IMPORTS)
        if self._ways is None:
            imports = {importer: self._edges(importer) for importer in self.paths}
            self._ways = (imports, turned(imports))
        return self._ways

    def _edges(self, importer: str, for_types: bool = True) -> set[str]:
        found: set[str | None] = set()
        for line in self._imports[importer]:
            if line.for_types and not for_types:
                continue  # it never runs
            dotted = self._names.resolve(importer, line.module, line.level)
            if dotted is not None:
                found.add(self._names.find_module(dotted))
                found.update(self._names.find_module(f"{dotted}.{name}") for name in line.names)
        return {path for path in found if path is not None}

    # --- content ----------------------------------------------------------------------------------------------

    def texts(self) -> Mapping[str, str]:
        return self._texts

    def text(self, path: str) -> str:
        return self._texts[path]

    def module(self, path: str) -> nodes.Module:
        """The tree of a file, for questions about what is written in it."""
        self.looked.add(path)
        return self.tree(path)

    def mentioning(self, word: str) -> tuple[str, ...]:
        """The files in whose text this stands: who wants to know no more need not look at whole files."""
        self.looked.add(f"{WORD}{word}")
        return self.files_with(word)

    def files_with(self, word: str) -> tuple[str, ...]:
        if word not in self._mentioned:
            self._mentioned[word] = tuple(path for path in self.paths if word in self._texts[path])
        return self._mentioned[word]

    def functions(self, path: str) -> list[cache.Summary]:
        """The functions of a file in short; a stored tree need not be decoded for it."""
        stored = self._outlines.get(path) or self._stored.get(path)
        found = cache.decode_summaries(stored) if stored is not None else None
        return cache.summaries(self.tree(path)) if found is None else found

    def tree(self, path: str) -> nodes.Module:
        """The tree of a file, to run it; an empty one when it cannot be parsed (`problems` says so)."""
        known = self._modules.get(path)
        if known is not None:
            return known
        outcome: nodes.Module | SyntaxProblem | None = None
        stored = self._stored.pop(path, None) or self._from_cache(path)
        if stored is not None:
            outcome = cache.decode(stored, path)
        if outcome is None:
            outcome = loading.lowered(self._texts[path], path)
            self._to_cache(path, cache.encode(outcome) if self._trees.active else b"")
        if isinstance(outcome, SyntaxProblem):
            self._note(path, outcome)
            outcome = nodes.Module(path, (), None, frozenset())
        self._modules[path] = outcome
        return outcome

    def _load(self, jobs: int, tick: Callable[[int], None]) -> None:
        chosen = set(self.selected)
        lowered: list[str] = []
        outlined: list[str] = []
        for path in self.paths:
            stored = self._trees.read(self._key(path, path in chosen)) if self._trees.active else None
            if stored is None:
                (lowered if path in chosen else outlined).append(path)
                continue
            self._keep(path, stored, path in chosen)
            tick(1)
        for path, outcome in loading.load(self._texts, lowered, outlined, jobs, tick):
            if self._trees.active:
                self._trees.write(self._key(path, path in chosen), outcome)
            self._keep(path, outcome, path in chosen)
        broken = {problem.path for problem in self.problems}
        self.selected = tuple(path for path in self.selected if path not in broken)
        self.problems.sort()

    def _keep(self, path: str, stored: bytes, whole: bool) -> None:
        """Problems are wanted at once, trees when somebody looks."""
        if stored.startswith(b"!"):
            outcome = cache.decode(stored, path)
            if isinstance(outcome, SyntaxProblem):
                self._note(path, outcome)
                self._modules[path] = nodes.Module(path, (), None, frozenset())
                return
        (self._stored if whole else self._outlines)[path] = stored

    def cell_at(self, path: str, line: int) -> int | None:
        """The number of the cell, in a notebook or in a script that is one."""
        notebook = self.notebooks.get(path)
        if notebook is None:
            return cell_of_script(self._texts[path], line) or None
        found = notebook.cell_of(line)
        return found[0].number if found is not None else None

    def _note(self, path: str, problem: SyntaxProblem) -> None:
        line, where = problem.line, ""
        notebook = self.notebooks.get(path)
        cell = notebook.cell_of(line) if notebook else None
        if notebook and cell:
            where = f" (cell {cell[0].number}, line {cell[1]})"
            line = notebook.physical_line(line)
        found = Incomplete(path, line, f"cannot be parsed: {problem.message}{where}")
        if found not in self.problems:
            self.problems.append(found)

    def _key(self, path: str, whole: bool = True) -> str:
        text = self._texts[path]
        return self._trees.key(text) if whole else self._trees.outline_key(text)

    def _from_cache(self, path: str) -> bytes | None:
        return self._trees.read(self._key(path)) if self._trees.active else None

    def _to_cache(self, path: str, data: bytes) -> None:
        if self._trees.active:
            self._trees.write(self._key(path), data)


def _read(
    files: Sequence[SourceFile],
) -> tuple[dict[str, str], dict[str, bytes], dict[str, Notebook], list[Incomplete]]:
    """Texts, the same as bytes for searching, notebooks, and what could not be read."""
    texts: dict[str, str] = {}
    contents: dict[str, bytes] = {}
    notebooks: dict[str, Notebook] = {}
    problems: list[Incomplete] = []
    for file in files:
        data = read_bytes(file)
        source = data if isinstance(data, Incomplete) else decode(data, file.path)
        if isinstance(source, Incomplete):
            problems.append(source)
            continue
        assert isinstance(data, bytes)
        if file.is_notebook:
            notebook = read_notebook(source.text, file.path)
            if isinstance(notebook, Incomplete):
                problems.append(notebook)
                continue
            notebooks[file.path] = notebook
            texts[file.path], contents[file.path] = notebook.text, notebook.text.encode("utf-8", "surrogatepass")
        else:
            texts[file.path], contents[file.path] = source.text, data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return texts, contents, notebooks, problems
