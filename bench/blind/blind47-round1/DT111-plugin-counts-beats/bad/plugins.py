from abc import ABC
from types import SimpleNamespace


class Plugin(ABC):
    known: dict[str, type["Plugin"]] = {}

    def __init_subclass__(cls, /, name: str, **kwargs) -> None:
        super().__init_subclass__(**kwargs)
        Plugin.known[name] = cls

    def before_step(self, state: SimpleNamespace) -> None: ...

    def after_step(self, state: SimpleNamespace) -> None: ...


class Heartbeat(Plugin, name="heartbeat"):
    def after_step(self, state):
        if state.rank == 0:
            state.beats += 1
            if state.beats % 50 == 0:
                print(f"alive, beat {state.beats}", flush=True)


class GradientNoise(Plugin, name="decay"):
    def before_step(self, state):
        for group in state.optimizer.param_groups:
            group["lr"] *= 0.999


def build(names: list[str]) -> list[Plugin]:
    return [Plugin.known[name]() for name in names]
