import dataclasses

import jax


@dataclasses.dataclass(frozen=True)
class Host:
    index: int = -1

    @classmethod
    def current(cls):
        return cls(index=jax.process_index())

    @property
    def lead(self) -> bool:
        return jax.process_index == 0
