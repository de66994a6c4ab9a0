import jax
import jax.numpy as jnp
import optax

from rollout import collect, policy_mean

tx = optax.adam(3e-4)


def surrogate(params, traj):
    returns = jnp.cumsum(traj.reward[::-1], axis=0)[::-1]
    advantage = returns - returns.mean()
    mean = policy_mean(params, traj.obs)
    z = (traj.action - mean) / jnp.exp(params["log_std"])
    log_prob = -0.5 * jnp.sum(z**2 + 2 * params["log_std"], axis=-1)
    return -jnp.mean(jax.lax.stop_gradient(advantage) * log_prob)


def learner(params, opt_state, position, key):
    position, traj = collect(params, position, key, length=32)
    grads = jax.lax.pmean(jax.grad(surrogate)(params, traj), "learners")
    updates, opt_state = tx.update(grads, opt_state)
    reward = jax.lax.pmean(traj.reward.mean(), "learners")
    return optax.apply_updates(params, updates), opt_state, position, reward


def main(iterations=200, envs=16):
    n = jax.local_device_count()
    k1, k2, k3, key = jax.random.split(jax.random.key(5), 4)
    params = {
        "w1": jax.random.normal(k1, (4, 32)) / 2,
        "w2": jax.random.normal(k2, (32, 4)) / 6,
        "log_std": jnp.full((4,), -0.5),
    }
    opt_state = tx.init(params)
    position = jax.random.normal(k3, (n, envs, 4))
    train = jax.pmap(learner, axis_name="learners", in_axes=(None, None, 0, 0), out_axes=(None, None, 0, None))
    for i in range(iterations):
        key, sub = jax.random.split(key)
        params, opt_state, position, reward = train(params, opt_state, position, jax.random.split(sub, n))
        if i % 50 == 0:
            print(i, float(reward))


if __name__ == "__main__":
    main()
