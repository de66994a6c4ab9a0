import haiku as hk
import jax
import jax.numpy as jnp


def forward(nodes, adjacency):
    for width in (64, 64):
        messages = adjacency @ hk.Linear(width)(nodes)
        nodes = jax.nn.relu(hk.Linear(width)(nodes) + messages)
    return hk.Linear(1)(nodes.mean(axis=-2))[..., 0]


net = hk.without_apply_rng(hk.transform(forward))


def example(n=8, features=6):
    return jnp.zeros((1, n, features)), jnp.zeros((1, n, n))
