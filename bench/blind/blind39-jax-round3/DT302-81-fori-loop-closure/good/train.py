import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

from sampler import Langevin


def energy(params, x):
    return (jax.nn.silu(x @ params["a"]) @ params["b"])[..., 0] + 0.5 * jnp.sum(x**2, -1)


def main(steps=100, batch=256):
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    k_a, k_b, k_chain = jax.random.split(jax.random.key(2), 3)
    params = {"a": jax.random.normal(k_a, (2, 64)), "b": 0.1 * jax.random.normal(k_b, (64, 1))}
    params = jax.device_put(params, NamedSharding(mesh, P()))
    tx = optax.adam(1e-3)
    opt_state = tx.init(params)
    chain = Langevin(energy, 0.01, 20)

    @jax.jit
    def update(params, opt_state, x, key):
        start_key, move_key = jax.random.split(key)
        start = jax.random.normal(start_key, x.shape)
        fake = jax.lax.stop_gradient(chain.run(params, start, move_key))
        gap, grads = jax.value_and_grad(lambda p: energy(p, x).mean() - energy(p, fake).mean())(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, gap

    rng = np.random.default_rng(0)
    for step in range(steps):
        x = jax.device_put(rng.normal(loc=2.0, size=(batch, 2)).astype(np.float32), NamedSharding(mesh, P("data")))
        params, opt_state, gap = update(params, opt_state, x, jax.random.fold_in(k_chain, step))
    print(float(gap))


if __name__ == "__main__":
    main()
