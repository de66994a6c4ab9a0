import enum
from typing import Callable, NamedTuple


class State(enum.Enum):
    RUN = enum.auto()
    CHECK = enum.auto()
    STOP = enum.auto()


class Signal(enum.Enum):
    TICK = enum.auto()
    DUE = enum.auto()
    WORSE = enum.auto()
    END = enum.auto()


TABLE: dict[tuple[State, Signal], State] = {
    (State.RUN, Signal.TICK): State.RUN,
    (State.RUN, Signal.DUE): State.CHECK,
    (State.RUN, Signal.END): State.STOP,
    (State.CHECK, Signal.TICK): State.RUN,
    (State.CHECK, Signal.WORSE): State.STOP,
}


def run(actions: dict[State, Callable[[], Signal]], state=State.RUN):
    while state is not State.STOP:
        state = TABLE[state, actions[state]()]
