import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

import normalize

TX = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(3e-4))


def value(params, obs):
    return jnp.tanh(obs @ params["w"]) @ params["v"]


@functools.partial(jax.pmap, axis_name="learners", donate_argnums=(0,))
def learn(state, obs, returns):
    params, opt_state, moments = state
    moments = normalize.observe(moments, obs)

    def loss_fn(p):
        return jnp.mean(optax.huber_loss(value(p, normalize.apply(moments, obs)), returns))

    loss, grads = jax.value_and_grad(loss_fn)(params)
    loss, grads = jax.lax.pmean((loss, grads), axis_name="learners")
    updates, opt_state = TX.update(grads, opt_state, params)
    return (optax.apply_updates(params, updates), opt_state, moments), loss


def rollouts(seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        obs = rng.normal(3.0, 2.0, size=(jax.local_device_count(), 32, 5)).astype(np.float32)
        yield obs, obs.sum(-1)


def main():
    k1, k2 = jax.random.split(jax.random.PRNGKey(8))
    params = {"w": jax.random.normal(k1, (5, 32)) * 0.4, "v": jax.random.normal(k2, (32,)) * 0.2}
    state = jax_utils.replicate((params, TX.init(params), normalize.fresh(5)))
    for obs, returns in rollouts(0, 20):
        state, loss = learn(state, obs, returns)
    params, _, moments = jax_utils.unreplicate(state)
    print("loss", float(loss[0]), "mean", np.asarray(moments.mean)[:2])


if __name__ == "__main__":
    main()
