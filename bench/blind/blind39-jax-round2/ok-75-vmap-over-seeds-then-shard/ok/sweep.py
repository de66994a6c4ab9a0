"""PureJaxRL style: a whole training run is one jitted function; seeds are spread over the devices."""
import jax
import jax.numpy as jnp
import optax
from jax.sharding import NamedSharding, PartitionSpec as P


def bandit_run(key, arms=10, pulls=500, rate=0.1):
    arm_key, key = jax.random.split(key)
    means = jax.random.normal(arm_key, (arms,))
    tx = optax.sgd(rate)
    preferences = jnp.zeros(arms)

    def pull(carry, _):
        preferences, opt_state, baseline, key = carry
        key, act_key, reward_key = jax.random.split(key, 3)
        arm = jax.random.categorical(act_key, preferences)
        reward = means[arm] + jax.random.normal(reward_key)
        grads = jax.grad(lambda p: -(reward - baseline) * jax.nn.log_softmax(p)[arm])(preferences)
        updates, opt_state = tx.update(grads, opt_state)
        baseline = 0.99 * baseline + 0.01 * reward
        return (optax.apply_updates(preferences, updates), opt_state, baseline, key), means.max() - means[arm]

    start = (preferences, tx.init(preferences), 0.0, key)
    _, regret = jax.lax.scan(pull, start, None, length=pulls)
    return regret


def main(runs_per_device=16):
    mesh = jax.make_mesh((jax.device_count(),), ("runs",))
    runs = runs_per_device * jax.device_count()
    keys = jax.device_put(jax.random.split(jax.random.key(0), runs), NamedSharding(mesh, P("runs")))
    regret = jax.jit(jax.vmap(bandit_run))(keys)
    curve = jax.jit(lambda r: r.mean(0), out_shardings=NamedSharding(mesh, P()))(regret)
    print([float(value) for value in curve[:: len(curve) // 5]])


if __name__ == "__main__":
    main()
