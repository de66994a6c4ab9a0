from dataclasses import dataclass, field
from typing import Any


@dataclass
class LoaderRecipe:
    batch_size: int = 32
    workers: int = 0
    extra: dict[str, Any] = field(default_factory=dict)

    def options(self, **more: Any) -> dict[str, Any]:
        base = {"batch_size": self.batch_size, "num_workers": self.workers, "shuffle": "sampler" not in more}
        return {**base, **self.extra, **more}
