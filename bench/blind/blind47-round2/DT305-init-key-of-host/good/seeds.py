from typing import NamedTuple

import jax


class Seeds(NamedTuple):
    init: jax.Array
    data: jax.Array

    @classmethod
    def of_host(cls, seed: int) -> "Seeds":
        init, data = jax.random.split(jax.random.key(seed))
        return cls(init, jax.random.fold_in(data, jax.process_index()))
