"""What stands in for everything unknown? A value that can be called, compared, entered, iterated — and asked.

Whatever would need its truth goes to the oracle, which gives every rank the same answer to the same question. Ranks
are concrete numbers, so what depends on them differs by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

WORLD = 4
LOOPS = 2  # turns of a loop over something unknown
RANK_NAMES = frozenset(
    [
        "rank",
        "global_rank",
        "get_rank",
        "get_global_rank",
        "process_index",
        "process_id",
        "proc_id",
        "node_rank_global",
        "global_rank_id",
    ]
)
LOCAL_RANK_NAMES = frozenset(["local_rank", "get_local_rank", "local_process_index", "get_node_local_rank"])
WORLD_NAMES = frozenset(
    ["world_size", "world", "get_world_size", "num_processes", "process_count", "device_count_global"]
)
MAIN_NAMES = frozenset(
    [
        "is_main_process",
        "is_global_zero",
        "is_rank_zero",
        "is_rank_0",
        "is_master",
        "is_primary",
        "is_main",
        "is_local_main_process",
    ]
)
TRUE_NAMES = frozenset(["is_initialized", "is_available", "is_dist_avail_and_initialized", "is_dist_initialized"])
FALSE_NAMES = frozenset(["TYPE_CHECKING", "is_compiling"])
COLLECTIVES = frozenset(
    [
        "all_reduce",
        "all_gather",
        "all_gather_object",
        "all_gather_into_tensor",
        "broadcast_object_list",
        "reduce_scatter",
        "reduce_scatter_tensor",
        "gather_object",
        "scatter_object_list",
        "all_to_all",
        "all_to_all_single",
        "monitored_barrier",
        "new_group",
        "init_process_group",
        "wait_for_everyone",
        "gather_for_metrics",
        "sync_global_devices",
        "process_allgather",
        "broadcast_one_to_all",
        "allreduce",
        "allgather",
        "barrier",
        "all_reduce_dict",
    ]
)
# these mean something else on other objects
AMBIGUOUS = frozenset(
    ["broadcast", "reduce", "gather", "scatter", "save_state", "load_state", "save_checkpoint", "rendezvous"]
)
HINTS = frozenset(
    [
        "distributed",
        "dist",
        "comm",
        "accelerator",
        "fabric",
        "strategy",
        "hvd",
        "xm",
        "multihost_utils",
        "process_group",
        "engine",
        "model_engine",
        "mpu",
        "torch_dist",
        "ptdist",
        "c10d",
    ]
)
ZERO_ONLY = frozenset(
    ["rank_zero_only", "master_only", "on_main_process", "rank0_only", "main_process_only", "only_on_rank_zero"]
)


class Oracle:
    """Answers of one path: the forced ones first, then the preferred, each remembered in order."""

    def __init__(self, rank: int, forced: dict[str, bool], prefer: bool = True) -> None:
        self.rank, self.forced, self.prefer = rank, forced, prefer
        self.asked: list[tuple[str, bool]] = []
        self.seen: dict[tuple[str, int], int] = {}
        self.log: list[dict[str, Any]] = []

    def decide(self, question: str, line: int) -> bool:
        if question.isidentifier():
            # a plain name that nobody gave another value is as true here as elsewhere, also for other ranks
            key = f"{question}@0#1"
            known = next((answer for name, answer in self.asked if name == key), None)
            if known is None:
                known = self.forced.get(key, self.prefer)
                self.asked.append((key, known))
            return known
        self.seen[question, line] = self.seen.get((question, line), 0) + 1
        key = f"{question}@{line}#{self.seen[question, line]}"
        answer = self.forced[key] if key in self.forced else self._consistent(question)
        self.asked.append((key, answer))
        return answer

    def _consistent(self, question: str) -> bool:
        # the same attribute cannot equal two constants
        if " == " in question:
            subject = question.split(" == ")[0]
            return not any(name.startswith(f"{subject} == ") and answer for name, answer in self.asked)
        return self.prefer

    def collective(self, operation: str, group: bool) -> None:
        stack = sliced_stack()
        if stack:
            self.log.append({"operation": operation, "stack": stack, "group": group})


oracle = Oracle(0, {})


def caller() -> Any:
    """The frame of the sliced code."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("dtlint."):
        frame = frame.f_back
    return frame


def sliced_stack() -> list[tuple[str, int]]:
    """Innermost first, sliced code only."""
    frame, found = caller(), []
    while frame is not None and not frame.f_globals.get("__name__", "").startswith("dtlint."):
        found.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return found


def line_here() -> int:
    frame = caller()
    return frame.f_lineno if frame is not None else 0


class Stub:
    """An unknown value, known by the expression it came from."""

    __slots__ = ("_items_", "_path_")

    def __init__(self, path: str) -> None:
        object.__setattr__(self, "_path_", path[-200:])
        object.__setattr__(self, "_items_", {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__") and name not in ("__version__", "__name__", "__doc__"):
            raise AttributeError(name)
        if name in self._items_:
            return self._items_[name]
        if name in ("__version__", "__name__"):
            return "2.0"
        if name in FALSE_NAMES:
            return False
        known = known_value(name)
        if known is not None and not name.startswith("get_"):
            return known if name not in MAIN_NAMES else Main(self._path_ + "." + name, known)
        return Stub(f"{self._path_}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        self._items_[name] = value

    def __delattr__(self, name: str) -> None:
        self._items_.pop(name, None)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        name = self._path_.rpartition(".")[2]
        if name in ZERO_ONLY and len(args) == 1 and callable(args[0]):
            function = args[0]
            return lambda *a, **k: function(*a, **k) if oracle.rank == 0 else None
        if len(args) == 1 and not keywords and type(args[0]).__name__ in ("function", "type"):
            return args[0]  # a decorator, most likely
        if name in TRUE_NAMES:
            return True
        known = known_value(name)
        if known is not None:
            return known
        if name in COLLECTIVES or (name in AMBIGUOUS and HINTS & set(self._path_.split("."))):
            oracle.collective(name, keywords.get("group") is not None)
            agree([*args, *keywords.values()], f"{name}@{line_here()}#{len(oracle.log)}")
        return Stub(f"{self._path_}()")

    def __getitem__(self, key: Any) -> Any:
        known = environment_value(key)
        if known is not None and "environ" in self._path_:
            return known
        if isinstance(key, (str, int)) and key in self._items_:
            return self._items_[key]
        return Stub(f"{self._path_}[{key!r}]"[:120])

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, (str, int)):
            self._items_[key] = value

    def __delitem__(self, key: Any) -> None: ...
    def __bool__(self) -> bool:
        return oracle.decide(self._path_, line_here())

    def __contains__(self, item: Any) -> bool:
        return oracle.decide(f"{item!r} in {self._path_}"[:160], line_here())

    def __instancecheck__(self, item: Any) -> bool:
        return oracle.decide(f"isinstance(…, {self._path_})", line_here())

    def __subclasscheck__(self, item: Any) -> bool:
        return oracle.decide(f"issubclass(…, {self._path_})", line_here())

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        return () if any(isinstance(base, type) and issubclass(base, Unknown) for base in bases) else (Unknown,)

    def __iter__(self) -> Iterator[Any]:
        for number in range(LOOPS):
            yield Stub(f"{self._path_}<{number}>")

    def __aiter__(self) -> Any:
        return self

    def __await__(self) -> Iterator[Any]:
        return iter(())

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None: ...
    def __len__(self) -> int:
        return LOOPS

    def __index__(self) -> int:
        return LOOPS

    __int__ = __index__

    def __float__(self) -> float:
        return float(LOOPS)

    def __hash__(self) -> int:
        return hash(self._path_)

    def __eq__(self, other: Any) -> Any:
        return Stub(f"{self._path_} == {show(other)}")

    def __ne__(self, other: Any) -> Any:
        return Stub(f"{self._path_} != {show(other)}")

    def __repr__(self) -> str:
        return self._path_

    def __fspath__(self) -> str:
        return self._path_

    def __format__(self, _: str) -> str:
        return self._path_


class Unknown:
    """The base of a class whose real base is unknown: it has every attribute."""

    def __init_subclass__(cls, **_: Any) -> None: ...
    def __init__(self, *_: Any, **__: Any) -> None: ...
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        known = known_value(name)
        return known if known is not None and not name.startswith("get_") else Stub(f"self.{name}")

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        forward = getattr(type(self), "forward", None)
        return forward(self, *args, **keywords) if forward is not None else Stub("self()")

    def __iter__(self) -> Iterator[Any]:
        yield from Stub("self")

    def __len__(self) -> int:
        return LOOPS


def agree(values: list[Any], name: str) -> None:
    """What went through a collective is the same on every rank from here on, whatever it was before."""
    for position, value in enumerate(values):
        if isinstance(value, Stub):
            object.__setattr__(value, "_path_", f"{name}.{position}")
            value._items_.clear()
        elif isinstance(value, list):
            value[:] = [Stub(f"{name}.{position}[{index}]") for index in range(len(value))]


def show(value: Any) -> str:
    return value._path_ if isinstance(value, Stub) else repr(value)[:60]


def _operators() -> None:
    for name, sign in (
        ("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("floordiv", "//"), ("mod", "%"), ("pow", "**"),
        ("and", "&"), ("or", "|"), ("xor", "^"), ("lshift", "<<"), ("rshift", ">>"), ("matmul", "@"),
    ):  # fmt: skip

        def forward(self: Stub, other: Any, sign: str = sign) -> Stub:
            return Stub(f"{self._path_} {sign} {show(other)}")

        def backward(self: Stub, other: Any, sign: str = sign) -> Stub:
            return Stub(f"{show(other)} {sign} {self._path_}")

        setattr(Stub, f"__{name}__", forward)
        setattr(Stub, f"__r{name}__", backward)
    for name, sign in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):

        def compare(self: Stub, other: Any, sign: str = sign) -> Stub:
            return Stub(f"{self._path_} {sign} {show(other)}")

        setattr(Stub, f"__{name}__", compare)
    for name in ("neg", "pos", "abs", "invert"):
        setattr(Stub, f"__{name}__", lambda self, name=name: Stub(f"{name}({self._path_})"))


_operators()


class Main:
    """`is_main_process`: a property in one library, a function in another."""

    def __init__(self, path: str, value: bool) -> None:
        self.path, self.value = path, value

    def __bool__(self) -> bool:
        return self.value

    def __call__(self, *_: Any, **__: Any) -> bool:
        return self.value

    def __eq__(self, other: Any) -> bool:
        return self.value == other

    def __hash__(self) -> int:
        return hash(self.value)


def known_value(name: str) -> Any:
    """The values that make a rank a rank."""
    if name in RANK_NAMES:
        return oracle.rank
    if name in LOCAL_RANK_NAMES:
        return oracle.rank % 2
    if name in WORLD_NAMES:
        return WORLD
    if name in MAIN_NAMES:
        return oracle.rank == 0
    return None


def environment_value(key: Any) -> str | None:
    values = {"RANK": oracle.rank, "LOCAL_RANK": oracle.rank % 2, "WORLD_SIZE": WORLD, "LOCAL_WORLD_SIZE": 2}
    values |= {"SLURM_PROCID": oracle.rank, "SLURM_NTASKS": WORLD, "SLURM_LOCALID": oracle.rank % 2}
    return str(values[key]) if isinstance(key, str) and key in values else None
