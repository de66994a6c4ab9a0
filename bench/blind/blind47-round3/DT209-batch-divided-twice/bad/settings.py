import os

import attrs


@attrs.define(kw_only=True)
class BatchSettings:
    total: int = 512
    world: int = attrs.field(factory=lambda: int(os.environ.get("WORLD_SIZE", "1")))

    @property
    def per_rank(self) -> int:
        return self.total // self.world
