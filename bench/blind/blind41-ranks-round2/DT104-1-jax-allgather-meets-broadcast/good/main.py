import argparse

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from seeds import agree_on_seed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int)
    parser.add_argument("--steps", type=int, default=100)
    args = parser.parse_args()
    jax.distributed.initialize()
    seed = agree_on_seed(args.seed)
    mesh = Mesh(np.array(jax.devices()), ("batch",))
    split = NamedSharding(mesh, P("batch"))
    weight = jax.device_put(np.asarray(jax.random.normal(jax.random.key(seed), (16, 1))), NamedSharding(mesh, P()))

    @jax.jit
    def update(weight, x):
        def loss(w):
            return jnp.mean((x @ w - x[:, :1]) ** 2)

        value, grad = jax.value_and_grad(loss)(weight)
        return weight - 0.1 * grad, value

    rng = np.random.default_rng([seed, jax.process_index()])
    for step in range(args.steps):
        local = rng.normal(size=(8 * jax.local_device_count(), 16)).astype(np.float32)
        weight, value = update(weight, jax.make_array_from_process_local_data(split, local))
    if jax.process_index() == 0:
        np.save("weight.npy", np.asarray(weight))


if __name__ == "__main__":
    main()
