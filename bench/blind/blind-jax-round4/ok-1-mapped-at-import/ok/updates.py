import functools

import jax
import jax.numpy as jnp
import optax

ACTOR, CRITIC = optax.adam(1e-3), optax.sgd(1e-2)


@functools.partial(jax.pmap, axis_name="p", donate_argnums=(0, 1))
def critic_update(params, opt_state, obs, returns):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((obs @ p - returns) ** 2))(params)
    updates, opt_state = CRITIC.update(jax.lax.pmean(grads, "p"), opt_state)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, "p")


@functools.partial(jax.pmap, axis_name="p", donate_argnums=(0, 1))
def actor_update(params, opt_state, obs, advantage):
    def loss_fn(p):
        return -jnp.mean(jax.nn.log_sigmoid(obs @ p) * advantage)

    grads = jax.lax.psum(jax.grad(loss_fn)(params), "p")
    grads = jax.tree.map(lambda g: g / jax.lax.psum(1, "p"), grads)
    updates, opt_state = ACTOR.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


advantages = jax.jit(lambda critic, obs, returns: returns - obs @ critic[0])
