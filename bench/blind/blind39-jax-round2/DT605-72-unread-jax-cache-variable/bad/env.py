import os

CACHE = "/mnt/cache/xla"


def prepare(host_memory_gb):
    os.environ["JAX_COMPILE_CACHE_DIR"] = CACHE
    os.environ["XLA_PYTHON_CLIENT_MEM_FRACTION"] = "0.8" if host_memory_gb > 256 else "0.6"
