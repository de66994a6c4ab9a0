import os


def prepare(debug):
    """Before jax is imported: what the processes of a long job need."""
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", "/tmp/jax_cache")
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    if debug:
        os.environ["JAX_DEBUG_NANS"] = "1"
