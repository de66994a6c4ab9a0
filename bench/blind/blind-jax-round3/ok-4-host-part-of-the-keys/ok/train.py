import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@functools.partial(jax.jit, backend="cpu")
def augment(key, x):
    shift_key, noise_key = jax.random.split(key)
    shift = jax.random.randint(shift_key, (x.shape[0], 1), 0, x.shape[1])
    columns = (jnp.arange(x.shape[1])[None] + shift) % x.shape[1]
    return jnp.take_along_axis(x, columns, axis=1) + 0.01 * jax.random.normal(noise_key, x.shape)


class Training:
    def __init__(self, seed):
        self.mesh = Mesh(np.array(jax.devices()), ("data",))
        self.rows = NamedSharding(self.mesh, P("data"))
        init_key, data_key = jax.random.split(jax.random.key(seed))
        self.key = jax.random.split(data_key, jax.process_count())[jax.process_index()]
        whole = NamedSharding(self.mesh, P())
        self.params = jax.jit(lambda k: 0.1 * jax.random.normal(k, (8,)), out_shardings=whole)(init_key)
        self.step = jax.jit(self._step, donate_argnums=(0,), out_shardings=(whole, whole, self.rows))

    @staticmethod
    def _step(params, x):
        def loss_fn(p):
            errors = (x @ p - x.max(-1)) ** 2
            return errors.mean(), errors

        (loss, errors), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
        return params - 0.05 * grads, loss, errors

    def __call__(self, x):
        self.key, sub = jax.random.split(self.key)
        x = jax.make_array_from_process_local_data(self.rows, np.asarray(augment(sub, x)))
        self.params, loss, errors = self.step(self.params, x)
        own = np.concatenate([np.asarray(shard.data) for shard in errors.addressable_shards])
        return float(loss), own.max()


def main(steps=10, host_rows=16):
    jax.distributed.initialize()
    training = Training(5)
    rng = np.random.default_rng([5, jax.process_index()])
    for i in range(steps):
        loss, worst = training(rng.normal(size=(host_rows, 8)).astype(np.float32))
        if i % 5 == 0:
            print(f"[host {jax.process_index()}] step {i} loss {loss:.4f}, worst of this host {worst:.4f}")


if __name__ == "__main__":
    main()
