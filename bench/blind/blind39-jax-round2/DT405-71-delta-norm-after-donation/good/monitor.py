import jax
import jax.numpy as jnp


@jax.jit
def distance(before, after):
    squares = jax.tree.map(lambda a, b: jnp.sum((a - b) ** 2), before, after)
    return jnp.sqrt(sum(jax.tree.leaves(squares)))


class UpdateMonitor:
    def __init__(self, every):
        self.every = every
        self.rows = []

    def wants(self, step):
        return step % self.every == 0

    def record(self, step, before, after, loss):
        self.rows.append((step, float(distance(before, after)), float(loss)))
        print("step %d moved %.3e loss %.4f" % self.rows[-1])
