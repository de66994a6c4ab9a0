"""Early stopping by a replicated validation loss, patience in a small class; all hosts stop in the same epoch."""
import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.bad = patience, float("inf"), 0

    def update(self, value):
        improved = value < self.best - 1e-4
        self.best, self.bad = (value, 0) if improved else (self.best, self.bad + 1)
        return improved

    @property
    def stop(self):
        return self.bad >= self.patience


def batches(mesh, rng, n):
    sharding = NamedSharding(mesh, P("data"))
    for _ in range(n):
        local = rng.normal(size=(4 * jax.local_device_count(), 8)).astype(np.float32)
        yield jax.make_array_from_process_local_data(sharding, local)


def main(epochs=10):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    w = jax.device_put(jnp.zeros(8), NamedSharding(mesh, P()))
    loss = lambda w, x: jnp.mean((x @ w - x.sum(1)) ** 2)
    train = jax.jit(lambda w, x: w - 0.05 * jax.grad(loss)(w, x))
    evaluate = jax.jit(loss)
    stopper = EarlyStopping(2)
    checkpointer = ocp.StandardCheckpointer()
    for epoch in range(epochs):
        for x in batches(mesh, np.random.default_rng([1, epoch, jax.process_index()]), 20):
            w = train(w, x)
        held_out = batches(mesh, np.random.default_rng([2, jax.process_index()]), 5)
        value = float(np.mean([float(evaluate(w, x)) for x in held_out]))
        if stopper.update(value):
            checkpointer.save("/tmp/early_stop/best", {"w": w}, force=True)
        if jax.process_index() == 0:
            print(epoch, value)
        if stopper.stop:
            break
    checkpointer.wait_until_finished()


if __name__ == "__main__":
    main()
