"""A dict of agents; keys per agent by vmapped splits; joint step; keys given back in a dict."""
import jax
import jax.numpy as jnp

AGENTS = ("red", "blue", "green")


def split_each(keys):
    pairs = jax.vmap(lambda k: jax.random.split(k))(keys)
    return pairs[:, 0], pairs[:, 1]


def act(params, key, obs):
    return jax.random.categorical(key, obs @ params)


@jax.jit
def joint(params, keys, obs):
    new, now = {}, {}
    for name in AGENTS:
        new[name], now[name] = split_each(keys[name])
    actions = {n: jax.vmap(act, (None, 0, 0))(params[n], now[n], obs[n]) for n in AGENTS}
    obs = {n: 0.5 * obs[n] + jax.nn.one_hot(actions[n], 3) for n in AGENTS}
    return new, obs, {n: (a == 0).mean() for n, a in actions.items()}


def main(envs=4):
    p_key, k_key = jax.random.split(jax.random.key(0))
    params = {n: jax.random.normal(k, (3, 3)) for n, k in zip(AGENTS, jax.random.split(p_key, len(AGENTS)))}
    keys = {n: jax.random.split(k, envs) for n, k in zip(AGENTS, jax.random.split(k_key, len(AGENTS)))}
    obs = {n: jnp.zeros((envs, 3)) for n in AGENTS}
    for _ in range(6):
        keys, obs, rates = joint(params, keys, obs)
    print({n: float(r) for n, r in rates.items()})


if __name__ == "__main__":
    main()
