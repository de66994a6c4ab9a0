"""How is a module of the project loaded without anything it imports from outside? Definitions real, the rest stubs."""

from __future__ import annotations

import ast
import builtins
import os
import sys
import types
from typing import Any

from dtlint.trace.slicing.stub import Stub, environment_value

REAL = frozenset(
    [
        "math",
        "functools",
        "itertools",
        "collections",
        "dataclasses",
        "typing",
        "contextlib",
        "enum",
        "re",
        "operator",
        "string",
        "abc",
        "copy",
        "types",
        "__future__",
        "numbers",
        "bisect",
        "heapq",
        "textwrap",
        "typing_extensions",
    ]
)
KEPT = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)


class UserRaise(Exception):
    """`raise` of something unknown."""


def as_exception(value: Any) -> Any:
    if isinstance(value, BaseException) or (isinstance(value, type) and issubclass(value, BaseException)):
        return value
    return UserRaise(str(value))


class Raises(ast.NodeTransformer):
    """`raise stub` would be a TypeError."""

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        self.generic_visit(node)
        if node.exc is not None:
            call = ast.Call(ast.Name("_dtlint_as_exception_", ast.Load()), [node.exc], [])
            node.exc = ast.fix_missing_locations(ast.copy_location(call, node.exc))
            node.cause = None
        return node


class Builtins(dict):
    """An unknown global is a stub as well."""

    def __missing__(self, name: str) -> Any:
        return Stub(name)


class Environment(Stub):
    """os.environ."""

    __slots__ = ()

    def get(self, key: Any, default: Any = None) -> Any:
        known = environment_value(key)
        return known if known is not None else default if default is not None else Stub(f"os.environ[{key!r}]")


class Loader:
    """The modules of one project, each loaded once."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.modules: dict[str, types.ModuleType] = {}
        self.builtins = Builtins(vars(builtins))
        self.builtins.update(
            __import__=self.importing,
            open=Stub("open"),
            input=Stub("input"),
            print=lambda *_, **__: None,
            exit=sys.exit,
            quit=sys.exit,
            _dtlint_as_exception_=as_exception,
        )

    def importing(self, name: str, globals_: Any = None, locals_: Any = None, wanted: Any = (), level: int = 0) -> Any:
        if level == 0 and name.split(".")[0] in REAL:
            return __import__(name, {}, {}, wanted or ())
        directory = os.path.dirname((globals_ or {}).get("__file__", "")) or self.root
        if level:
            for _ in range(level - 1):
                directory = os.path.dirname(directory)
            bases = [directory]
        else:
            bases = [directory, self.root, os.path.join(self.root, "src")]
        for base in bases:
            path = os.path.join(base, *name.split(".")) if name else base
            found = self._file(path)
            if found is not None:
                return self._answer(found, base, name, wanted, level)
        return self._outside(name, wanted)

    @staticmethod
    def _file(path: str) -> str | None:
        for candidate in (path + ".py", os.path.join(path, "__init__.py")):
            if os.path.isfile(candidate):
                return candidate
        return None

    def _answer(self, found: str, base: str, name: str, wanted: Any, level: int) -> Any:
        module = self.load(found)
        for item in wanted or ():
            if not hasattr(module, item) and found.endswith("__init__.py"):
                below = self._file(os.path.join(os.path.dirname(found), item))
                if below is not None:
                    setattr(module, item, self.load(below))
        if wanted or level:
            return module
        # `import a.b` gives a, with b reachable
        top = Stub(name.split(".")[0])
        if "." not in name:
            return module
        parent: Any = top
        for part in name.split(".")[1:-1]:
            child = Stub(part)
            setattr(parent, part, child)
            parent = child
        setattr(parent, name.rpartition(".")[2], module)
        return top

    @staticmethod
    def _outside(name: str, wanted: Any) -> Any:
        if name == "os" and not wanted:
            system = Stub("os")
            system.environ = Environment("os.environ")
            system.getenv = system.environ.get
            return system
        if name == "sys":
            system = Stub("sys")
            system.exit = sys.exit
            return system
        if name == "os":
            module = Stub("os")
            module.environ = Environment("os.environ")
            module.getenv = module.environ.get
            return module
        return Stub(name) if wanted else Stub(name.split(".")[0])

    def load(self, path: str) -> types.ModuleType:
        real = os.path.realpath(path)
        if real in self.modules:
            return self.modules[real]
        module = types.ModuleType(os.path.relpath(real, self.root).removesuffix(".py").replace(os.sep, "."))
        module.__file__ = real
        module.__dict__["__builtins__"] = self.builtins
        self.modules[real] = module
        with open(real, "rb") as file:
            tree = Raises().visit(ast.parse(file.read()))
        self._execute(tree.body, module, real)
        return module

    def _execute(self, body: list[ast.stmt], module: types.ModuleType, path: str) -> None:
        """One statement after the other: what fails leaves its names unknown."""
        for statement in body:
            if isinstance(statement, (ast.If, ast.Try)):
                # guards around imports: take the first side
                test = getattr(statement, "test", None)
                if test is None or "__name__" not in ast.unparse(test):
                    self._execute(statement.body, module, path)
            if not isinstance(statement, KEPT):
                continue
            try:
                exec(compile(ast.Module([statement], []), path, "exec"), module.__dict__)
            except Exception:
                for node in ast.walk(statement):
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                        module.__dict__.setdefault(node.id, Stub(node.id))
                if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    module.__dict__.setdefault(statement.name, Stub(statement.name))
