"""debug.callback and io_callback inside jit; progress bar on the main process; profiler on one host."""
import contextlib
import time

import jax
import jax.numpy as jnp
from jax.experimental import io_callback

LOG = []


def report(step, loss):
    if jax.process_index() == 0:
        LOG.append((int(step), float(loss), time.time()))


@contextlib.contextmanager
def maybe_profile(path, enabled):
    if enabled and jax.process_index() == 0:
        jax.profiler.start_trace(path)
    try:
        yield
    finally:
        if enabled and jax.process_index() == 0:
            jax.profiler.stop_trace()


@jax.jit
def train(w, key):
    def body(carry, step):
        w, key = carry
        sub = key
        x = jax.random.normal(sub, (16, w.size))
        loss, g = jax.value_and_grad(lambda w: jnp.mean((x @ w - 1) ** 2))(w)
        jax.lax.cond(step % 10 == 0, lambda: jax.debug.callback(report, step, loss), lambda: None)
        return (w - 0.05 * g, key), loss

    (w, _), losses = jax.lax.scan(body, (w, key), jnp.arange(50))
    io_callback(lambda l: print("last", l), None, losses[-1], ordered=True)
    return w


def main():
    with maybe_profile("/tmp/profile", False):
        w = train(jnp.zeros(4), jax.random.key(0))
        w.block_until_ready()
    jax.effects_barrier()
    print(len(LOG), w)


if __name__ == "__main__":
    main()
