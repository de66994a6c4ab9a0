import dataclasses
from typing import Any, Protocol

import jax
import orbax.checkpoint as ocp


class Callback(Protocol):
    def __call__(self, step: int, state: Any, metrics: dict) -> None: ...


@dataclasses.dataclass
class Checkpointer:
    directory: str
    every: int = 100
    keep: int = 3

    def __post_init__(self):
        options = ocp.CheckpointManagerOptions(max_to_keep=self.keep, create=True)
        self.manager = ocp.CheckpointManager(self.directory, options=options)

    def __call__(self, step, state, metrics):
        if step % self.every or jax.process_index() != 0:
            return
        self.manager.save(step, args=ocp.args.StandardSave(state))

    def close(self):
        self.manager.wait_until_finished()
        self.manager.close()


@dataclasses.dataclass
class ConsoleLogger:
    every: int = 20

    def __call__(self, step, state, metrics):
        if step % self.every == 0 and jax.process_index() == 0:
            print(step, {k: float(v) for k, v in metrics.items()})
