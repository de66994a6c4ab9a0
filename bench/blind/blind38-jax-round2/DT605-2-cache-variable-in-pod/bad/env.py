"""What every process of the job needs in its environment. Imported before anything of JAX."""
import os
from pathlib import Path


def prepare(scratch):
    cache = Path(scratch) / "xla-cache"
    cache.mkdir(parents=True, exist_ok=True)
    wanted = {
        "JAX_COMPILATION_CACHE": str(cache),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "5",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    }
    for name, value in wanted.items():
        os.environ.setdefault(name, value)
