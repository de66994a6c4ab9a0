from typing import NamedTuple

import jax


class Seeds(NamedTuple):
    init: jax.Array
    data: jax.Array

    @classmethod
    def of_host(cls, seed: int) -> "Seeds":
        key = jax.random.fold_in(jax.random.key(seed), jax.process_index())
        init, data = jax.random.split(key)
        return cls(init, data)
