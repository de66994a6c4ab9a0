import jax
import jax.numpy as jnp

from pbt import learner


def exploit(members, losses, key):
    """The worst member takes the place of the best one and looks elsewhere."""
    best, worst = jnp.argmin(losses), jnp.argmax(losses)
    params, opt_state = jax.tree.map(lambda a: a.at[worst].set(a[best]), members)
    lr = opt_state.hyperparams["learning_rate"]
    factor = jax.random.choice(key, jnp.array([0.8, 1.25]))
    opt_state.hyperparams["learning_rate"] = lr.at[worst].multiply(factor)
    return params, opt_state


def main(rounds=5):
    n = jax.local_device_count()
    key = jax.random.PRNGKey(0)
    key, sub = jax.random.split(key)
    members = jax.pmap(learner.init)(jax.random.split(sub, n))
    p_train = jax.pmap(learner.train, axis_name="member")
    for r in range(rounds):
        key, k_train, k_exploit = jax.random.split(key, 3)
        members, losses = p_train(members, jax.random.split(k_train, n))
        members = exploit(members, losses, k_exploit)
        print(r, losses)


if __name__ == "__main__":
    main()
