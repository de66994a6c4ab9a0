import dataclasses

import jax


@dataclasses.dataclass(frozen=True)
class Every:
    steps: int

    def due(self, step: int) -> bool:
        return jax.process_index() == 0 and step > 0 and step % self.steps == 0
