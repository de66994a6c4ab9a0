import functools
from typing import NamedTuple

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Learner(NamedTuple):
    online: hk.Params
    target: hk.Params
    opt_state: optax.OptState


net = hk.without_apply_rng(hk.transform(lambda x: hk.nets.MLP([32, 2])(x)))
tx = optax.adam(1e-3)


def new_learner(key):
    online = net.init(key, jnp.zeros((1, 4)))
    return Learner(online, jax.tree.map(jnp.copy, online), tx.init(online))


@functools.partial(jax.pmap, axis_name="d", in_axes=(None, 0, 0), out_axes=None)
def learn(learner, obs, key):
    next_key, reward_key = jax.random.split(key)
    following = obs + 0.1 * jax.random.normal(next_key, obs.shape)
    reward = following.sum(-1) + 0.01 * jax.random.normal(reward_key, obs.shape[:1])

    def loss_fn(params):
        goal = reward + 0.9 * net.apply(learner.target, following).max(-1)
        return jnp.mean((net.apply(params, obs).max(-1) - jax.lax.stop_gradient(goal)) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(learner.online)
    loss, grads = jax.lax.pmean((loss, grads), "d")
    updates, opt_state = tx.update(grads, learner.opt_state)
    online = optax.apply_updates(learner.online, updates)
    target = optax.incremental_update(online, learner.target, 0.01)
    return Learner(online, target, opt_state), loss


def main(steps=15):
    keys = hk.PRNGSequence(3)
    learner = new_learner(next(keys))
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for _ in range(steps):
        obs = rng.normal(size=(n, 8, 4)).astype(np.float32)
        learner, loss = learn(learner, obs, jax.random.split(next(keys), n))
    print("loss", float(loss))


if __name__ == "__main__":
    main()
