import jax
import jax.numpy as jnp
import optax

import env as walker


def init_policy(key):
    k1, k2 = jax.random.split(key)
    return {
        "h": jax.random.normal(k1, (2, 32)) * 0.5,
        "mu": jax.random.normal(k2, (32, 2)) * 0.1,
        "log_std": jnp.full((2,), -0.5),
    }


def policy(params, obs):
    return jnp.tanh(obs @ params["h"]) @ params["mu"], params["log_std"]


def rollout(params, env_state, key, length):
    def body(carry, _):
        env_state, key = carry
        key, act_key, env_key = jax.random.split(key, 3)
        mu, log_std = policy(params, env_state.pos)
        noise = jax.random.normal(act_key, mu.shape)
        action = mu + jnp.exp(log_std) * noise
        env_state, _, reward = walker.step(env_key, env_state, action)
        logp = -0.5 * jnp.sum(noise**2) - jnp.sum(log_std)
        return (env_state, key), (env_state.pos, action, reward, logp)

    (env_state, _), traj = jax.lax.scan(body, (env_state, key), None, length=length)
    return env_state, traj


def make_update(tx, length):
    def loss_fn(params, traj):
        obs, action, reward, old_logp = traj
        mu, log_std = policy(params, obs)
        logp = -0.5 * jnp.sum(((action - mu) / jnp.exp(log_std)) ** 2, -1) - jnp.sum(log_std)
        ratio = jnp.exp(jnp.clip(logp - old_logp, -2.0, 2.0))
        adv = reward - reward.mean()
        return -jnp.mean(jnp.minimum(ratio * adv, jnp.clip(ratio, 0.8, 1.2) * adv))

    def update(params, opt_state, env_states, keys):
        roll = jax.vmap(lambda s, k: rollout(params, s, k, length))
        env_states, traj = roll(env_states, keys)
        loss, grads = jax.value_and_grad(loss_fn)(params, traj)
        grads, loss = jax.lax.pmean((grads, loss), "cores")
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, env_states, loss

    return jax.pmap(update, axis_name="cores", in_axes=(None, None, 0, 0), out_axes=(None, None, 0, None))


def main(iterations=5, envs_per_core=4, length=16):
    n = jax.local_device_count()
    key = jax.random.PRNGKey(42)
    key, pol_key, env_key = jax.random.split(key, 3)
    params = init_policy(pol_key)
    tx = optax.adam(3e-4)
    opt_state = tx.init(params)
    env_states = jax.vmap(jax.vmap(walker.reset))(jax.random.split(env_key, (n, envs_per_core)))
    update = make_update(tx, length)
    for it in range(iterations):
        key, roll_key = jax.random.split(key)
        keys = jax.random.split(roll_key, (n, envs_per_core))
        params, opt_state, env_states, loss = update(params, opt_state, env_states, keys)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
