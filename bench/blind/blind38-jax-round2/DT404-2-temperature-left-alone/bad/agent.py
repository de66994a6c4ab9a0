from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import struct
from jax import lax


@struct.dataclass
class Agent:
    actor: Any
    critic: Any
    log_alpha: jax.Array
    actor_opt: Any
    critic_opt: Any
    alpha_opt: Any


ACTOR_TX, CRITIC_TX, ALPHA_TX = optax.adam(3e-4), optax.adam(3e-4), optax.adam(1e-3)
TARGET_ENTROPY = -2.0


def mlp(params, x):
    return jnp.tanh(x @ params["w"]) @ params["v"]


def sample(actor, obs, key):
    mean, log_std = jnp.split(mlp(actor, obs), 2, axis=-1)
    std = jnp.exp(jnp.clip(log_std, -5, 1))
    action = mean + std * jax.random.normal(key, mean.shape)
    log_prob = (-0.5 * ((action - mean) / std) ** 2 - jnp.log(std)).sum(-1)
    return action, log_prob


def value(critic, obs, action):
    return mlp(critic, jnp.concatenate([obs, action], -1))[..., 0]


def apply(tx, grads, opt, params):
    updates, opt = tx.update(grads, opt, params)
    return optax.apply_updates(params, updates), opt


def learn(agent, batch, key):
    k_next, k_actor = jax.random.split(key)
    alpha = jnp.exp(agent.log_alpha)

    def critic_loss(critic):
        action, log_prob = sample(agent.actor, batch["next"], k_next)
        target = batch["reward"] + 0.99 * (value(critic, batch["next"], action) - alpha * log_prob)
        return jnp.mean((value(critic, batch["obs"], batch["action"]) - lax.stop_gradient(target)) ** 2)

    def actor_loss(actor):
        action, log_prob = sample(actor, batch["obs"], k_actor)
        return jnp.mean(alpha * log_prob - value(agent.critic, batch["obs"], action)), log_prob

    def alpha_loss(log_alpha, log_prob):
        return -jnp.mean(jnp.exp(log_alpha) * lax.stop_gradient(log_prob + TARGET_ENTROPY))

    c_loss, c_grad = jax.value_and_grad(critic_loss)(agent.critic)
    (a_loss, log_prob), a_grad = jax.value_and_grad(actor_loss, has_aux=True)(agent.actor)
    t_grad = jax.grad(alpha_loss)(agent.log_alpha, log_prob)
    c_grad, a_grad = lax.pmean((c_grad, a_grad), "learners")
    critic, critic_opt = apply(CRITIC_TX, c_grad, agent.critic_opt, agent.critic)
    actor, actor_opt = apply(ACTOR_TX, a_grad, agent.actor_opt, agent.actor)
    log_alpha, alpha_opt = apply(ALPHA_TX, t_grad, agent.alpha_opt, agent.log_alpha)
    agent = Agent(actor, critic, log_alpha, actor_opt, critic_opt, alpha_opt)
    return agent, lax.pmean({"critic": c_loss, "actor": a_loss}, "learners")
