from typing import NamedTuple

import jax
import jax.numpy as jnp


class AgentState(NamedTuple):
    mean: jax.Array
    key: jax.Array
    step: jax.Array


def init(seed: int, dim: int) -> AgentState:
    return AgentState(jnp.zeros(dim), jax.random.PRNGKey(seed), jnp.zeros((), jnp.int32))


def explore(state: AgentState, count: int) -> tuple[jax.Array, AgentState]:
    key, draw = jax.random.split(state.key)
    noise = jax.random.normal(draw, (count, state.mean.size))
    return state.mean + 0.1 * noise, state._replace(key=key)


def update(state: AgentState, candidates: jax.Array, scores: jax.Array) -> AgentState:
    weights = jax.nn.softmax(scores)
    return state._replace(mean=weights @ candidates, step=state.step + 1)
