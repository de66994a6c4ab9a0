from dataclasses import dataclass
from typing import Optional

import jax
import numpy as np


@dataclass
class ShardSpec:
    index: Optional[int] = None
    count: Optional[int] = None

    def resolve(self):
        index = jax.process_index() if self.index is None else self.index
        count = jax.process_count() if self.count is None else self.count
        return ShardSpec(index, count)


def rows_of(spec, total):
    spec = spec.resolve()
    n = total - total % spec.count
    return np.arange(spec.index, n, spec.count)
