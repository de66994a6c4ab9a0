import dataclasses

import jax


@dataclasses.dataclass(frozen=True)
class Every:
    steps: int

    def due(self, step: int) -> bool:
        return step > 0 and step % self.steps == 0
