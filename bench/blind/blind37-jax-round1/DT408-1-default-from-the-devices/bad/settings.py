import dataclasses
import os

import jax


@dataclasses.dataclass
class Settings:
    run_dir: str = os.environ.get("RUN_DIR", "runs/default")
    global_batch: int = 1024
    steps: int = 5_000
    seed: int = 0
    data_parallel: int | None = None

    def resolved(self):
        if self.data_parallel is not None:
            return self
        return dataclasses.replace(self, data_parallel=jax.device_count())


def load(argv):
    settings = Settings()
    for item in argv:
        name, _, value = item.removeprefix("--").partition("=")
        kind = type(getattr(settings, name) or 0)
        settings = dataclasses.replace(settings, **{name: kind(value)})
    return settings
