"""A small character model, and how its parameters are laid out over the devices of all hosts."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

VOCABULARY = 64
CONTEXT = 16
WIDTH = 64


def init_params(key):
    k_embed, k_mix, k_out = jax.random.split(key, 3)
    return {
        "embed": jax.random.normal(k_embed, (VOCABULARY, WIDTH)) * 0.1,
        "mix": jax.random.normal(k_mix, (CONTEXT * WIDTH, WIDTH)) / (CONTEXT * WIDTH) ** 0.5,
        "out": jax.random.normal(k_out, (WIDTH, VOCABULARY)) / WIDTH**0.5,
        "bias": jnp.zeros((VOCABULARY,)),
    }


def loss_fn(params, tokens):
    """Predict the last character of each row from those before it."""
    embedded = params["embed"][tokens[:, :-1]].reshape(tokens.shape[0], -1)
    logits = jnp.tanh(embedded @ params["mix"]) @ params["out"] + params["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, -1]).mean()


def fsdp_sharding(mesh: Mesh, tree):
    """The first dimension of every leaf over all devices, where it divides; the rest replicated."""

    def place(leaf):
        if leaf.ndim and leaf.shape[0] % mesh.size == 0:
            return NamedSharding(mesh, PartitionSpec("dp"))
        return NamedSharding(mesh, PartitionSpec())

    return jax.tree.map(place, tree)
