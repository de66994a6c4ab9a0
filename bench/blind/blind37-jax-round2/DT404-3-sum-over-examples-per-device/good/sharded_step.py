import functools

import jax
import jax.numpy as jnp
import optax
from jax import lax
from jax.sharding import PartitionSpec as P


def token_losses(params, ids):
    hidden = params["embed"][ids[:, :-1]]
    hidden = hidden + jax.nn.gelu(hidden @ params["up"]) @ params["down"]
    return optax.softmax_cross_entropy_with_integer_labels(hidden @ params["embed"].T, ids[:, 1:])


def build(mesh, tx):
    def grads_of(params, ids):
        def mean_loss(p):
            return lax.pmean(token_losses(p, ids).mean(), "dp")

        return jax.value_and_grad(mean_loss)(params)

    sharded = jax.shard_map(grads_of, mesh=mesh, in_specs=(P(), P("dp")), out_specs=(P(), P()))

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def step(params, opt_state, ids):
        loss, grads = sharded(params, ids)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return step
