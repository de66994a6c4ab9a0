import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import common_utils


def soft_codes(params, x, temperature):
    scores = x @ params["codes"].T
    weights = jax.nn.softmax(scores / temperature)
    return weights @ params["codes"], weights


def objective(params, x, temperature):
    rebuilt, weights = soft_codes(params, x, temperature)
    usage = weights.mean(axis=0)
    entropy = -jnp.sum(usage * jnp.log(usage + 1e-8))
    return jnp.mean((rebuilt - x) ** 2) - 1e-3 * entropy


@functools.partial(jax.pmap, axis_name="shard", in_axes=(0, 0, 0, None))
def update(params, opt_state, x, temperature):
    value, grads = jax.value_and_grad(objective)(params, x, temperature)
    value, grads = jax.lax.pmean((value, grads), "shard")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, value


tx = optax.adam(3e-3)


def anneal(step, total, high=2.0, low=0.2):
    return high * (low / high) ** (step / total)


def main(total=600, codes=64, dim=16, batch=512):
    params = {"codes": jax.random.normal(jax.random.key(0), (codes, dim))}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    rng = np.random.default_rng(3)
    for step in range(total):
        x = common_utils.shard(rng.normal(size=(batch, dim)).astype(np.float32))
        params, opt_state, value = update(params, opt_state, x, anneal(step, total))
        if step % 100 == 0:
            print(step, float(value[0]))
    return jax_utils.unreplicate(params)


if __name__ == "__main__":
    main()
