import functools

import jax
import jax.numpy as jnp
import optax

import rollout

HORIZON, ENVS_PER_DEVICE = 32, 64


def surrogate(params, path):
    returns = jnp.cumsum(path.reward[::-1], axis=0)[::-1]
    advantage = (returns - returns.mean()) / (returns.std() + 1e-6)
    mean = rollout.policy(params, path.obs)
    logp = -0.5 * jnp.sum((path.action - mean) ** 2, -1) / 0.04
    return -jnp.mean(logp * advantage)


def make_update(tx):
    @functools.partial(jax.pmap, axis_name="d", donate_argnums=(0, 1, 2, 3))
    def update(params, opt_state, envs, key):
        envs, key, path = rollout.collect(params, envs, key, HORIZON)
        grads = jax.lax.pmean(jax.grad(surrogate)(params, path), "d")
        updates, opt_state = tx.update(grads, opt_state, params)
        reward = jax.lax.pmean(path.reward.mean(), "d")
        return optax.apply_updates(params, updates), opt_state, envs, key, reward

    return update


def main(iterations=200):
    n = jax.local_device_count()
    tx = optax.adam(3e-3)
    init_key, env_key, act_key = jax.random.split(jax.random.key(5), 3)
    params = {"w": 0.1 * jax.random.normal(init_key, (4, 2)), "b": jnp.zeros(2)}
    copies = lambda tree: jax.tree.map(lambda leaf: jnp.stack([leaf] * n), tree)
    params, opt_state = copies(params), copies(tx.init(params))
    env_keys = jax.random.split(env_key, n * ENVS_PER_DEVICE).reshape(n, ENVS_PER_DEVICE)
    envs = jax.pmap(jax.vmap(rollout.reset))(env_keys)
    keys = jax.random.split(act_key, n)
    update = make_update(tx)
    for it in range(iterations):
        params, opt_state, envs, keys, reward = update(params, opt_state, envs, keys)
        if it % 20 == 0:
            print(it, float(reward[0]))


if __name__ == "__main__":
    main()
