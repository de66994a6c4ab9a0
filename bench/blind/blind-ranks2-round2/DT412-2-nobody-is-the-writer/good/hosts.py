import dataclasses
import os

import jax


@dataclasses.dataclass
class Host:
    index: int
    count: int
    writes: bool = False

    @classmethod
    def join(cls):
        jax.distributed.initialize(
            coordinator_address=os.environ["COORDINATOR"],
            num_processes=int(os.environ["WORLD_SIZE"]),
            process_id=int(os.environ["RANK"]),
        )
        return cls(jax.process_index(), jax.process_count(), writes=jax.process_index() == 0)
