"""What do we know about one way of starting a program: which script, how many processes, who meets where?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from dtlint.findings import Span, Step
from dtlint.launch.shell_values import MARKER, Word, known, shown
from dtlint.source.text import Incomplete

# Launchers that start one process per device on the node they run on.
PER_NODE_LAUNCHERS = ("torchrun", "torch.distributed.launch", "accelerate", "deepspeed")
# Things that start the same command several times, on one node or on many.
STEPS = ("srun", "mpirun", "tpu-vm ssh", "pytorchjob", "jobset", "job", "trainjob", "skypilot", "ssh", "batch job")
LOCAL_ADDRESSES = ("localhost", "0.0.0.0", "::1", "[::1]", "ip6-localhost")


@dataclass(frozen=True, slots=True)
class Argument:
    """One option of a command, `name` without dashes and with `_` for `-`; `value` None for a bare flag. `origin` is
    where it is written, if that is in another file."""

    name: str
    value: str | None
    line: int
    written: str = ""
    origin: tuple[str, int] | None = None

    @property
    def shown(self) -> str:
        """The option as a message shows it."""
        if self.value is None:
            return self.written
        return (
            f"{self.written}={shown(self.value)}"
            if self.written.startswith("-")
            else f"{self.written}: {shown(self.value)}"
        )

    @property
    def number(self) -> int | None:
        value = (self.value or "").strip()
        return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None

    @property
    def amount(self) -> float | None:
        """Also of `1e-4` and `1.0`."""
        try:
            return float((self.value or "").strip())
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one command, in order."""

    items: tuple[Argument, ...] = ()
    complete: bool = True  # False: an unknown `$ARGS` may hold further ones

    def get(self, *names: str) -> Argument | None:
        """The last option with one of these names: the one that counts."""
        return next((item for item in reversed(self.items) if item.name in names), None)

    def number(self, *names: str) -> int | None:
        item = self.get(*names)
        return item.number if item else None

    def __iter__(self) -> Iterator[Argument]:
        return iter(self.items)


@dataclass(frozen=True, slots=True)
class Launch:
    """One start of a program. `outer` is what starts this start: the `srun` around a `torchrun`, the PyTorchJob around
    a container's command, the batch job around all."""

    kind: str  # torchrun, torch.distributed.launch, accelerate, deepspeed, python, or one of STEPS
    path: str
    line: int
    script: str | None = None  # the file, or the module of `-m`
    is_module: bool = False
    options: Options = field(default_factory=Options)  # of the launcher
    arguments: Options = field(default_factory=Options)  # of the script
    positional: tuple[Word, ...] = ()  # what the script gets besides options
    words: tuple[Word, ...] = ()  # all that the script gets, in order
    environment: Mapping[str, Argument] = field(default_factory=dict)
    nodes: int | None = None  # None: not known
    processes_per_node: int | None = None
    world_size: int | None = None
    devices_per_node: int | None = None  # accelerators that one node offers
    tasks_per_node: int | None = None  # of a step: how often it runs its command on a node
    outer: Launch | None = None
    background: bool = False
    loops: int = 0
    branch: tuple[tuple[int, int], ...] = ()
    order: int = 0  # position among the commands of its file
    read_in: str = ""  # the file whose reading led to it, where a script calls another
    lost: tuple[int, int] | None = None  # the line after which nothing belongs to the command, and the next one
    configuration: Configuration | None = None  # accelerate's `--config_file`, deepspeed's hostfile
    deepspeed: Configuration | None = None  # the DeepSpeed settings that the program is given

    def option(self, *names: str) -> Argument | None:
        """The launcher's option, else the one of its configuration file."""
        return self.options.get(*names) or (self.configuration.get(*names) if self.configuration else None)

    def step(self, *kinds: str) -> Launch | None:
        """The nearest enclosing launch of one of `kinds`."""
        outer = self.outer
        while outer is not None and outer.kind not in kinds:
            outer = outer.outer
        return outer

    @property
    def outers(self) -> Iterator[Launch]:
        outer = self.outer
        while outer is not None:
            yield outer
            outer = outer.outer

    @property
    def name(self) -> str:
        return {"python": self.script or "python"}.get(self.kind, self.kind)

    @property
    def place(self) -> Step:
        what = {"batch job": "the batch job is described here", "python": "the program is started here"}
        return Step(
            self.path,
            self.line,
            what.get(
                self.kind, f"`{self.kind}` starts {'here' if not self.script else '`' + shown(self.script) + '`'}"
            ),
        )

    def span(self, line: int | None = None) -> Span:
        number = line or self.line
        return Span(self.path, number, 1, number, 1)


@dataclass(frozen=True, slots=True)
class Configuration:
    """A file of settings that a launcher or a library reads: `accelerate`, `deepspeed`, `hostfile`."""

    kind: str
    path: str
    values: Mapping[str, Argument]  # dotted keys

    def get(self, *names: str) -> Argument | None:
        return next((self.values[name] for name in names if name in self.values), None)

    def number(self, *names: str) -> int | None:
        item = self.get(*names)
        return item.number if item else None


@dataclass(frozen=True, slots=True)
class LaunchFile:
    """Everything read from one file."""

    path: str
    text: str
    launches: tuple[Launch, ...] = ()
    configurations: tuple[Configuration, ...] = ()
    problems: tuple[Incomplete, ...] = ()


def host_of(endpoint: str) -> str:
    """`10.0.0.1` of `10.0.0.1:29500`, `tcp://10.0.0.1:29500`, `[::1]:29500`."""
    text = endpoint.strip().strip("\"'")
    outside = MARKER.sub(lambda match: "?" * len(match[0]), text)  # `${PORT:-29500}` has a colon of its own
    begin = outside.rfind("://") + 3 if "://" in outside else 0
    if text[begin : begin + 1] == "[":
        return text[begin:].partition("]")[0] + "]"
    end = outside.find(":", begin)
    return text[begin:] if outside.count(":", begin) != 1 else text[begin:end]


def is_local(endpoint: str) -> bool:
    """Does this address name the machine itself, whichever machine reads it?"""
    host = host_of(endpoint)
    return known(host) and (
        host.lower() in LOCAL_ADDRESSES or (host.startswith("127.") and host[4:].replace(".", "").isdigit())
    )
