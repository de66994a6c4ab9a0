import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from jax import lax


class Normaliser(NamedTuple):
    mean: jax.Array
    var: jax.Array
    count: jax.Array


class Learner(NamedTuple):
    params: dict
    opt_state: optax.OptState
    stats: Normaliser


tx = optax.adam(3e-4)


def observe(stats, obs):
    """Chan's update with the observations of all devices."""
    mean, var, count = obs.mean(0), obs.var(0), jnp.float32(len(obs))
    total = stats.count + count
    delta = mean - stats.mean
    new_var = (stats.var * stats.count + var * count + delta**2 * stats.count * count / total) / total
    return Normaliser(stats.mean + delta * count / total, new_var, total)


def value(params, stats, obs):
    x = (obs - stats.mean) * lax.rsqrt(stats.var + 1e-6)
    return (jnp.tanh(x @ params["w"]) @ params["v"])[:, 0]


@functools.partial(jax.pmap, axis_name="d", donate_argnums=0)
def learn(learner, obs, returns):
    stats = observe(learner.stats, obs)
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((value(p, stats, obs) - returns) ** 2))(learner.params)
    loss, grads = lax.pmean((loss, grads), "d")
    updates, opt_state = tx.update(grads, learner.opt_state)
    return Learner(optax.apply_updates(learner.params, updates), opt_state, stats), loss


def main(iterations=200):
    kw, kv = jax.random.split(jax.random.PRNGKey(0))
    params = {"w": jax.random.normal(kw, (10, 64)) / 4, "v": jax.random.normal(kv, (64, 1)) / 8}
    stats = Normaliser(jnp.zeros(10), jnp.ones(10), jnp.float32(1e-4))
    learner = jax_utils.replicate(Learner(params, tx.init(params), stats))
    draw = np.random.default_rng(1)
    shape = (jax.local_device_count(), 128, 10)
    for _ in range(iterations):
        obs = draw.normal(2.0, 3.0, size=shape).astype(np.float32)
        learner, loss = learn(learner, obs, obs.sum(-1))
    print(float(loss[0]), jax_utils.unreplicate(learner).stats.mean)


if __name__ == "__main__":
    main()
