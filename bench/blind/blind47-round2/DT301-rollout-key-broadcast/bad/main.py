import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

from collector import Collector
from settings import parse

AXIS = "d"


def main():
    args = parse()
    tx = optax.adam(args.lr)
    params = {"w": jnp.zeros((args.env.dim, args.env.dim))}
    opt = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    collector = Collector(args.env)

    def loss(params, states, actions, rewards):
        returns = jnp.cumsum(rewards[::-1])[::-1]
        advantage = returns - returns.mean()
        return jnp.mean(advantage * jnp.sum((actions - states @ params["w"]) ** 2, -1))

    def update(params, opt, traj):
        grads = jax.lax.pmean(jax.grad(loss)(params, *traj), AXIS)
        updates, opt = tx.update(grads, opt, params)
        return optax.apply_updates(params, updates), opt

    p_update = jax.pmap(update, axis_name=AXIS)
    key = jax.random.PRNGKey(args.seed)
    for i in range(args.updates):
        key, k_roll = jax.random.split(key)
        traj = collector.collect(params, k_roll)
        params, opt = p_update(params, opt, traj)
    print(np.asarray(params["w"][0]))


if __name__ == "__main__":
    main()
