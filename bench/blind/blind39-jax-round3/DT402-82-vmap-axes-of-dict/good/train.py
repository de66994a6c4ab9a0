"""Per-example gradient clipping (DP-SGD) under shard_map."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def example_loss(params, x, y, weight):
    logit = jnp.tanh(x @ params["w"]) @ params["v"]
    return weight * optax.sigmoid_binary_cross_entropy(logit, y)


def clipped_sum(params, x, y, weight, bound):
    per_example = jax.vmap(jax.grad(example_loss), in_axes=(None, 0, 0, 0))(params, x, y, weight)
    squares = sum(jnp.sum(g**2, axis=tuple(range(1, g.ndim))) for g in jax.tree.leaves(per_example))
    factor = jnp.minimum(1.0, bound / (jnp.sqrt(squares) + 1e-6))
    return jax.tree.map(lambda g: jnp.tensordot(factor, g, axes=1), per_example)


def make_update(mesh, tx, bound, batch):
    def local(params, x, y, weight):
        total = lax.psum(clipped_sum(params, x, y, weight, bound), "rows")
        return jax.tree.map(lambda g: g / batch, total)

    rows = P("rows")
    grads_of = jax.shard_map(local, mesh=mesh, in_specs=(P(), rows, rows, rows), out_specs=P(), check_vma=False)

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def update(params, opt_state, x, y, weight, key):
        grads = grads_of(params, x, y, weight)
        leaves, tree = jax.tree.flatten(grads)
        keys = jax.random.split(key, len(leaves))
        noisy = [g + bound / batch * jax.random.normal(k, g.shape) for g, k in zip(leaves, keys)]
        updates, opt_state = tx.update(jax.tree.unflatten(tree, noisy), opt_state)
        return optax.apply_updates(params, updates), opt_state

    return update


def main(steps=20, batch=64):
    mesh = Mesh(np.array(jax.devices()), ("rows",))
    w_key, v_key, noise_key = jax.random.split(jax.random.key(1), 3)
    params = {"w": 0.3 * jax.random.normal(w_key, (10, 16)), "v": 0.3 * jax.random.normal(v_key, (16,))}
    tx = optax.sgd(0.5)
    params, opt_state = jax.device_put((params, tx.init(params)), NamedSharding(mesh, P()))
    update = make_update(mesh, tx, 1.0, batch)
    rng = np.random.default_rng(0)
    for step in range(steps):
        x = rng.normal(size=(batch, 10)).astype(np.float32)
        arrays = (x, (x.sum(-1) > 0).astype(np.float32), rng.uniform(0.5, 1.5, batch).astype(np.float32))
        arrays = jax.device_put(arrays, NamedSharding(mesh, P("rows")))
        params, opt_state = update(params, opt_state, *arrays, jax.random.fold_in(noise_key, step))
    print(params["v"][:3])


if __name__ == "__main__":
    main()
