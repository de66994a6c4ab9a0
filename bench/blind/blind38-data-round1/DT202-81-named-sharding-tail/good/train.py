"""A small text-CNN over a one-axis mesh: batches are placed with a NamedSharding, the step is jitted once."""
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@dataclass(frozen=True)
class Settings:
    vocabulary: int = 4096
    width: int = 64
    length: int = 48
    classes: int = 12
    batch: int = 64
    epochs: int = 4
    lr: float = 1e-3
    seed: int = 3


def initial(cfg, key):
    k_embed, k_conv, k_out = jax.random.split(key, 3)
    return {
        "embed": jax.random.normal(k_embed, (cfg.vocabulary, cfg.width)) * 0.02,
        "conv": jax.random.normal(k_conv, (5, cfg.width, cfg.width)) * 0.05,
        "out": jax.random.normal(k_out, (cfg.width, cfg.classes)) * 0.05,
    }


def logits_of(params, tokens):
    x = params["embed"][tokens]
    x = jax.lax.conv_general_dilated(x, params["conv"], (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))
    return jax.nn.relu(x).max(axis=1) @ params["out"]


def loss_of(params, tokens, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits_of(params, tokens), labels).mean()


def corpus(cfg, rows):
    rng = np.random.default_rng(cfg.seed)
    tokens = rng.integers(0, cfg.vocabulary, (rows, cfg.length), dtype=np.int32)
    return tokens, (tokens.sum(axis=1) % cfg.classes).astype(np.int32)


def minibatches(tokens, labels, size, rng):
    order = rng.permutation(len(tokens))
    for start in range(0, len(order) - size + 1, size):
        rows = order[start : start + size]
        yield tokens[rows], labels[rows]


def main():
    cfg = Settings()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    over_batch = NamedSharding(mesh, P("data"))
    everywhere = NamedSharding(mesh, P())
    optimizer = optax.adamw(cfg.lr)
    params = jax.device_put(initial(cfg, jax.random.PRNGKey(cfg.seed)), everywhere)
    state = jax.device_put(optimizer.init(params), everywhere)

    @jax.jit
    def step(params, state, tokens, labels):
        loss, grads = jax.value_and_grad(loss_of)(params, tokens, labels)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, loss

    tokens, labels = corpus(cfg, rows=5003)
    rng = np.random.default_rng(cfg.seed + 1)
    for epoch in range(cfg.epochs):
        losses = []
        for batch in minibatches(tokens, labels, cfg.batch, rng):
            x, y = jax.device_put(batch, over_batch)
            params, state, loss = step(params, state, x, y)
            losses.append(loss)
        print(f"epoch {epoch}: {float(jnp.stack(losses).mean()):.4f}")
    np.savez("textcnn.npz", **{name: np.asarray(value) for name, value in params.items()})


if __name__ == "__main__":
    main()
