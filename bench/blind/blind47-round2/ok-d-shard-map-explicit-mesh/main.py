import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def make_step(mesh, lr):
    def loss(w, x):
        return jax.lax.pmean(jnp.mean((x @ w - 1.0) ** 2), ("replica", "shard"))

    @jax.jit
    @jax.shard_map(mesh=mesh, in_specs=(P(), P(("replica", "shard"))), out_specs=(P(), P()))
    def step(w, x):
        value, grad = jax.value_and_grad(loss)(w, x)
        return w - lr * grad, value

    return step


def main():
    devices = np.array(jax.devices()).reshape(-1, 2)
    mesh = Mesh(devices, ("replica", "shard"))
    step = make_step(mesh, 0.1)
    rng = np.random.default_rng(0)
    w = jax.device_put(jnp.zeros(6), NamedSharding(mesh, P()))
    for _ in range(20):
        x = rng.normal(size=(8 * devices.size, 6)).astype(np.float32)
        w, value = step(w, jax.device_put(x, NamedSharding(mesh, P(("replica", "shard")))))
    print(value)


if __name__ == "__main__":
    main()
