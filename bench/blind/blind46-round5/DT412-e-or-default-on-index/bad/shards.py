from dataclasses import dataclass
from typing import Optional

import jax
import numpy as np


@dataclass
class ShardSpec:
    index: Optional[int] = None
    count: Optional[int] = None

    def resolve(self):
        return ShardSpec(
            index=self.index or jax.process_index(),
            count=self.count or jax.process_count(),
        )


def rows_of(spec, total):
    spec = spec.resolve()
    n = total - total % spec.count
    return np.arange(spec.index, n, spec.count)
