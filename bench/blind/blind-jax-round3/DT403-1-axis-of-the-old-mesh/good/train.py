import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import noise


def model(params, x):
    return jnp.tanh(x @ params["a"]) @ params["b"]


def make_loss(mesh):
    axis = mesh.axis_names[0]

    @functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P(axis), P()), out_specs=P())
    def loss(params, x, key):
        noisy = noise.perturb(key, x, 0.1, axis=axis)
        return lax.pmean(jnp.mean((model(params, noisy) - x.sum(-1)) ** 2), axis)

    return loss


def main(steps=10):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    loss_fn, tx = make_loss(mesh), optax.sgd(0.02)
    ka, kb, key = jax.random.split(jax.random.key(4), 3)
    params = {"a": jax.random.normal(ka, (5, 16)) * 0.4, "b": jax.random.normal(kb, (16,)) * 0.4}
    params = jax.device_put(params, NamedSharding(mesh, P()))
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, x, key):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, key)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng(0)
    for i in range(steps):
        x = jax.device_put(rng.normal(size=(32, 5)).astype(np.float32), NamedSharding(mesh, P("data")))
        params, opt_state, loss = step(params, opt_state, x, jax.random.fold_in(key, i))
    print("loss", float(loss))


if __name__ == "__main__":
    main()
