"""What plays a module that is not installed, where a script would otherwise end at its import?

A few libraries have a stand-in of their own, with made-up rows or small models (see played/); what one of them does not
have under a name of a submodule is looked for in the stand-in itself. Any other module accepts every call and does
nothing: trackers and loggers are like that. What comes out of it can be called and passed on, but is no data: a script
that computes with it fails, and says so. Only the standard library.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import ModuleType
from typing import Any

from dtlint.trace.frames import Line, line_of

PLAYED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "played")
CALLS_KEPT = 500


class Calls:
    """The calls that stand-ins were given, by the line that made them."""

    def __init__(self) -> None:
        self.made: dict[tuple[Line, str], None] = {}

    def note(self, name: str) -> None:
        if len(self.made) < CALLS_KEPT and (line := line_of(sys._getframe(2))):
            self.made[line, name] = None

    def fact(self, rank: int) -> dict[str, Any]:
        made = [{"path": line[0], "line": line[1], "name": name} for line, name in self.made]
        return {"kind": "calls", "rank": rank, "calls": made}


class Nothing:
    """An attribute of a module that is not there, or what a call of it gave back."""

    _name: str
    _calls: Calls

    def __init__(self, name: str, calls: Calls) -> None:
        self.__dict__.update(_name=name, _calls=calls)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        made = Nothing(f"{self._name}.{name}", self._calls)
        self.__dict__[name] = made
        return made

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        self._calls.note(self._name)
        if len(args) == 1 and not keywords and isinstance(args[0], type(lambda: 0)):
            return args[0]  # a decorator
        return Nothing(f"{self._name}()", self._calls)

    def __mro_entries__(self, bases: Any) -> Any:
        """A class of the script's own needs the real one to inherit from."""
        raise ModuleNotFoundError(f"No module named '{self._name.partition('.')[0]}'")

    def __enter__(self) -> Nothing:
        return self

    def __exit__(self, *_: object) -> None: ...

    def __setitem__(self, name: object, value: object) -> None: ...

    def __iter__(self) -> Any:
        raise TypeError(f"{self._name} is a stand-in without data")


class Absent(ModuleType):
    """The module itself, and its submodules."""

    def __init__(self, name: str, calls: Calls) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        played = _played_above(self.__name__)
        return getattr(played, name) if hasattr(played, name) else Nothing(f"{self.__name__}.{name}", self._calls)


def _played_above(name: str) -> ModuleType | None:
    """The nearest module above that a stand-in of its own plays."""
    above = name.rpartition(".")[0]
    module = sys.modules.get(above)
    return _played_above(above) if isinstance(module, Absent) else module


class Finder:
    """Asked when nobody else has the module."""

    def __init__(self, names: Iterable[str], calls: Calls) -> None:
        self.names, self.calls = frozenset(names), calls

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        top = name.partition(".")[0]
        if top not in self.names:
            return None
        if os.path.isdir(os.path.join(PLAYED, top)):
            file = os.path.join(PLAYED, *name.split("."))
            file = os.path.join(file, "__init__.py") if os.path.isdir(file) else f"{file}.py"
            if os.path.isfile(file):
                spec = ModuleSpec(name, SourceFileLoader(name, file), origin=file, is_package=True)
                spec.has_location = True
                return spec  # without a path of its own: this finder is asked for its submodules too
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Absent(spec.name, self.calls)

    def exec_module(self, module: ModuleType) -> None: ...


# A module of torch that is there, and refuses to be imported without another one.
REFUSING = {"tensorboard": "torch.utils.tensorboard"}


def install(job: dict[str, Any]) -> Calls:
    calls = Calls()
    if names := job.get("absent"):
        sys.meta_path.append(Finder(names, calls))
        for name in REFUSING.keys() & names:
            sys.modules[REFUSING[name]] = Absent(REFUSING[name], calls)
    return calls
