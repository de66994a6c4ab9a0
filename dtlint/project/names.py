"""Which module is which file? Dotted names for the files of a project, and files for the names imports write.

Nobody tells a linter `sys.path`. A regular package is named from its topmost directory with an `__init__.py`. A
directory without one is a namespace package or a folder of scripts; how its files are imported decides. Two files
that would get one name (`a/utils.py`, `b/utils.py`) are told apart by the path in front.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence

from dtlint.project.imports import ImportLine

SOURCE_FOLDERS = ("src", "lib", "python", "source")


class Names:
    def __init__(self, paths: Sequence[str], imports: Mapping[str, Sequence[ImportLine]]) -> None:
        self._imports = imports
        self.paths = tuple(sorted(paths))
        self._packages = {parent_of(path) for path in self.paths if _is_init(path)} - {""}
        self._entries: dict[str, str] = {}  # path without suffix, or directory -> file ("" for a directory)
        self._tails: dict[str, list[str]] = {}  # last component -> entries
        self._index()
        self._imported = _imported_names(imports)
        self._members: dict[str, list[str]] = {}  # dotted name -> what is imported from below it
        for dotted in self._imported:
            self._members.setdefault(dotted.rpartition(".")[0], []).append(dotted.rpartition(".")[2])
        self._names: dict[str, str] = {}
        self._files: dict[str, str] = {}
        self._directories: dict[str, str] = {}
        self._known_packages: set[str] = set()
        self._give_names()
        self._resolved: dict[tuple[str, str], str] = {}
        self._given: dict[tuple[str, str], bool] = {}
        self._stood_in = self._packages_stood_in()
        self._of_itself = self._names_of_itself()

    def name_of(self, path: str) -> str:
        return self._names[path]

    def find_module(self, dotted: str) -> str | None:
        return self._files.get(dotted)

    def find_package(self, dotted: str) -> bool:
        return dotted in self._known_packages

    # --- naming -----------------------------------------------------------------------------------------------

    def _index(self) -> None:
        for path in self.paths:
            stem = path.rpartition(".")[0]
            if stem.endswith("/__init__") or stem == "__init__":
                stem = parent_of(stem)
            if stem and (not self._entries.get(stem) or path.endswith(".py")):
                self._entries[stem] = path
            directory = parent_of(path)
            while directory and directory not in self._entries:
                self._entries[directory] = ""
                directory = parent_of(directory)
        for entry in self._entries:
            self._tails.setdefault(entry.rpartition("/")[2], []).append(entry)

    def _give_names(self) -> None:
        roots: dict[str, list[str]] = {}  # first component -> roots that claim it
        placed: dict[str, str] = {}
        for path in sorted(self.paths, key=lambda item: (not self._in_package(item), item.count("/"), item)):
            root = self._root_of(path)
            placed[path] = root
            claims = roots.setdefault(_dotted(_below(_stem(path), root)).partition(".")[0], [])
            if root not in claims:
                claims.append(root)
        for path in self.paths:
            root = placed[path]
            name = _dotted(_below(_stem(path), root))
            if roots[name.partition(".")[0]][0] != root:
                name = ".".join((*root.split("/"), name))
            if name in self._files:  # a notebook beside a module of the same name
                name = f"{name}.{path.rpartition('.')[2]}"
            self._names[path] = name
            self._files[name] = path
            directory, package = parent_of(path), name if _is_init(path) else name.rpartition(".")[0]
            while package:
                self._known_packages.add(package)
                if self._directories.setdefault(directory, package) != package:
                    break
                directory, package = parent_of(directory), package.rpartition(".")[0]

    def _in_package(self, path: str) -> bool:
        return parent_of(path) in self._packages

    def _root_of(self, path: str) -> str:
        """The directory that stands on the path of imports for this file."""
        top = parent_of(path)
        inside = False
        while top in self._packages:
            top, inside = parent_of(top), True
        while self._above_package(top):
            top, inside = parent_of(top), True
        while top in self._packages:
            top = parent_of(top)
        candidates = [top]
        while candidates[-1]:
            candidates.append(parent_of(candidates[-1]))
        stem = _stem(path)
        if not inside:
            for root in reversed(candidates):
                if self._is_imported(_below(stem, root), root):
                    return root
            return self._script_root(candidates)
        package = stem[: len(top) + 1] + stem[len(top) + 1 :].partition("/")[0] if top else stem.partition("/")[0]
        for root in candidates:
            if self._is_imported(_below(package, root), root):
                return root
        return top

    def _above_package(self, directory: str) -> bool:
        """Is this directory without `__init__.py` somewhere inside a regular package?"""
        above = parent_of(directory)
        return bool(directory) and (above in self._packages or (bool(above) and self._above_package(above)))

    @staticmethod
    def _script_root(candidates: list[str]) -> str:
        for root in candidates:
            if root.rpartition("/")[2] in SOURCE_FOLDERS:
                return root
        return candidates[-1]

    def _is_imported(self, relative: str, root: str) -> bool:
        importers = self._imported.get(_dotted(relative))
        if not importers:
            return False
        if "/" in relative:
            return True
        return any(importer == root or not root or importer.startswith(root + "/") for importer in importers)

    # --- resolving --------------------------------------------------------------------------------------------

    def resolve(self, importer: str, module: str, level: int) -> str | None:
        directory = parent_of(importer)
        if level:
            for _ in range(level - 1):
                if not directory or directory.endswith(".."):
                    return None
                directory = parent_of(directory)
            entry = "/".join(part for part in (directory, module.replace(".", "/")) if part)
            if entry in self._entries:
                return self._name_of_entry(entry)
            package = self._directories.get(directory, "")
            return ".".join(part for part in (package, module) if part) or None
        key = (directory, module)
        if key not in self._resolved:
            self._resolved[key] = self._absolute(directory, module)
        return self._resolved[key]

    def _name_of_entry(self, entry: str) -> str:
        file = self._entries[entry]
        if file:
            return self._names[file]
        return self._directories.get(entry) or _dotted(entry)

    def _absolute(self, directory: str, module: str) -> str:
        parts = module.split(".")
        if len(parts) > 1 and parts[0] in self._of_itself:
            parts = parts[1:]
        top = self._best_entry(directory, parts[:1])
        if top in self._packages:  # a regular package lies in one place: what it lacks is not looked for elsewhere
            beside = None if _contains(parent_of(top), directory) else self._beside(directory, parts)
            if beside is not None:
                return self._name_of_entry(beside)
            for length in range(len(parts), 0, -1):
                entry = "/".join((top, *parts[1:length]))
                if entry in self._entries:
                    return ".".join((self._name_of_entry(entry), *parts[length:]))
        for length in range(len(parts), 0, -1):
            best = self._best_entry(directory, parts[:length])
            if best is not None:
                return ".".join((self._name_of_entry(best), *parts[length:]))
        return module

    def _best_entry(self, directory: str, parts: list[str]) -> str | None:
        tail = "/".join(parts)
        standard = parts[0] in sys.stdlib_module_names
        best: tuple[int, int, str] | None = None
        for entry in self._tails.get(parts[-1], ()):
            if entry != tail and not entry.endswith("/" + tail):
                continue
            root = entry[: -len(tail)].rstrip("/")
            rank = self._rank(directory, root, _join(root, parts[0]))
            if rank == 4 and self._wraps(entry, parts[0]):
                continue
            if rank is None or (standard and (rank > 1 or (rank == 1 and len(parts) == 1))):
                continue
            if not self._entries[entry]:
                if not self._gives(entry, ".".join(parts)):
                    continue
                rank += 10  # a bare directory loses against any file
            nearness = len(root) if rank % 10 == 3 else -len(root)
            if best is None or (rank, nearness, entry) < best:
                best = (rank, nearness, entry)
        return best[2] if best else None

    def _beside(self, directory: str, parts: list[str]) -> str | None:
        """The file of this name in a bare folder here or above: nearer than the package of another program."""
        tail = "/".join(parts)
        roots = [
            entry[: -len(tail)].rstrip("/")
            for entry in self._tails.get(parts[-1], ())
            if self._entries[entry] and (entry == tail or entry.endswith("/" + tail))
        ]
        ranked = [
            (rank, -len(root), root)
            for root in roots
            if (rank := self._rank(directory, root, _join(root, parts[0]))) is not None and rank < 3
        ]
        return _join(min(ranked)[2], tail) if len(parts) > 1 and ranked else None

    def _gives(self, directory: str, dotted: str) -> bool:
        """Does anybody import under this name what lies in there? `scripts/torch/` gives no `torch.nn`: Python goes on
        to the library."""
        key = directory, dotted
        if key not in self._given:
            self._given[key] = any(f"{directory}/{name}" in self._entries for name in self._members.get(dotted, ()))
        return self._given[key]

    def _wraps(self, entry: str, name: str) -> bool:
        """`utils/deepspeed.py` that imports `deepspeed`: in that package the name is the library's."""
        file = self._entries[entry]
        lines = self._imports.get(file, ()) if file else ()
        return any(not line.level and line.module.partition(".")[0] == name for line in lines)

    def _names_of_itself(self) -> frozenset[str]:
        """Names of the package that is the project itself: `rows.data` is `data.py` where `__init__.py` lies beside it,
        and so is all else that anybody imports from `rows`."""
        if "__init__.py" not in self.paths:
            return frozenset()
        inside: dict[str, set[str]] = {}
        for dotted in self._imported:
            first, _, rest = dotted.partition(".")
            inside.setdefault(first, set()).update([rest.partition(".")[0]] if rest else ())
        return frozenset(
            name
            for name, parts in inside.items()
            if len(parts) > 1
            and name not in self._tails
            and name not in sys.stdlib_module_names
            and all(part in self._entries for part in parts)
        )

    def _packages_stood_in(self) -> frozenset[str]:
        """Packages in which programs are started: `package/training/main.py` imports `training.options`, itself by
        a name that begins in the package, and finds it there only."""
        found = set()
        for path, lines in self._imports.items():
            directory = parent_of(path)
            above, _, own = directory.rpartition("/")
            if not own or above not in self._packages:
                continue
            named = [line.module.split(".") for line in lines if not line.level and line.module.startswith(f"{own}.")]
            if any(self._entries.get(f"{above}/{'/'.join(parts)}") for parts in named):
                found.add(above)
        return frozenset(found)

    def _rank(self, directory: str, root: str, top: str) -> int | None:
        """How likely `root` is on the import path of a file in `directory`; None: not at all."""
        if root in self._packages:
            if root in self._stood_in and _contains(root, directory):
                return 4
            return 4 if root == directory else None  # a script inside a package
        if root == directory:
            return 0
        if _contains(root, directory):
            return 1
        above, _, last = root.rpartition("/")
        if last in SOURCE_FOLDERS and _contains(above, directory):
            return 2
        return 3 if top in self._packages else None


def _imported_names(imports: Mapping[str, Iterable[ImportLine]]) -> dict[str, set[str]]:
    """Absolute dotted names written in imports, and the directories of the files that write them."""
    found: dict[str, set[str]] = {}
    for path, lines in imports.items():
        directory = parent_of(path)
        for line in lines:
            if line.level or not line.module:
                continue
            parts = line.module.split(".")
            for length in range(1, len(parts) + 1):
                found.setdefault(".".join(parts[:length]), set()).add(directory)
            for name in line.names:
                found.setdefault(f"{line.module}.{name}", set()).add(directory)
    return found


def _is_init(path: str) -> bool:
    return path == "__init__.py" or path.endswith("/__init__.py")


def _stem(path: str) -> str:
    return parent_of(path) or "__init__" if _is_init(path) else path.rpartition(".")[0]


def _below(entry: str, root: str) -> str:
    return entry[len(root) + 1 :] if root else entry


def _join(root: str, name: str) -> str:
    return f"{root}/{name}" if root else name


def _contains(root: str, directory: str) -> bool:
    return not root or directory == root or directory.startswith(root + "/")


def _dotted(relative: str) -> str:
    return relative.replace("../", "").strip("/").replace("/", ".")


def parent_of(entry: str) -> str:
    return entry.rpartition("/")[0]
