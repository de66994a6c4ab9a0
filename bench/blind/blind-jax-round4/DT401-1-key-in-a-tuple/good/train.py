import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

import inputs

TX = optax.sgd(0.01, momentum=0.9)


def loss_fn(params, given):
    keep = jax.random.bernoulli(given.key, 0.9, given.x.shape)
    h = jnp.tanh(jnp.where(keep, given.x, 0.0) @ params["w"])
    return jnp.mean((h @ params["v"] - given.y) ** 2)


def step(params, opt_state, given):
    loss, grads = jax.value_and_grad(loss_fn)(params, given)
    loss, grads = jax.lax.pmean((loss, grads), "dp")
    updates, opt_state = TX.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main(steps=10):
    k1, k2, key = jax.random.split(jax.random.key(0), 3)
    params = {"w": jax.random.normal(k1, (7, 16)) * 0.3, "v": jax.random.normal(k2, (16,)) * 0.3}
    opt_state = jax_utils.replicate(TX.init(params))
    params = jax_utils.replicate(params)
    p_step = jax.pmap(step, axis_name="dp", donate_argnums=(0, 1))
    rng = np.random.default_rng(0)
    for i in range(steps):
        given = inputs.make(rng, jax.random.fold_in(key, i), 8)
        params, opt_state, loss = p_step(params, opt_state, given)
    print("loss", float(loss[0]))


if __name__ == "__main__":
    main()
