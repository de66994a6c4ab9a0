import contextlib
import functools
import os

import jax
from jax.experimental import multihost_utils


@functools.lru_cache(maxsize=None)
def initialize():
    if "COORDINATOR_ADDRESS" in os.environ:
        jax.distributed.initialize()
    return jax.process_index(), jax.process_count()


def is_main():
    return jax.process_index() == 0


def main_only(fn):
    @functools.wraps(fn)
    def wrapped(*args, **kwargs):
        if is_main():
            return fn(*args, **kwargs)
        return None

    return wrapped


def barrier(name):
    if jax.process_count() > 1:
        multihost_utils.sync_global_devices(name)


@contextlib.contextmanager
def main_first(name):
    if not is_main():
        barrier(name)
    yield
    if is_main():
        barrier(name)


def broadcast(tree):
    if jax.process_count() == 1:
        return tree
    return multihost_utils.broadcast_one_to_all(tree)
