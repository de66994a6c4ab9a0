import jax
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

from sharding import Layout, place

VOCAB, WIDTH, HIDDEN = 512, 64, 256


def init(key):
    keys = dict(zip(("embed", "up", "gate", "down"), jax.random.split(key, 4)))
    return {
        "embed": jax.random.normal(keys["embed"], (VOCAB, WIDTH)) * 0.02,
        "up": jax.random.normal(keys["up"], (WIDTH, HIDDEN)) / WIDTH**0.5,
        "gate": jax.random.normal(keys["gate"], (WIDTH, HIDDEN)) / WIDTH**0.5,
        "down": jax.random.normal(keys["down"], (HIDDEN, WIDTH)) / HIDDEN**0.5,
    }


def loss_fn(params, tokens):
    x = params["embed"][tokens[:, :-1]]
    x = x + (jax.nn.silu(x @ params["gate"]) * (x @ params["up"])) @ params["down"]
    logits = x @ params["embed"].T
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def main(steps=20, batch=32):
    mesh = Layout().mesh()
    params = place(mesh, init(jax.random.key(0)))
    tx = optax.adafactor(1e-3)
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, tokens):
        loss, grads = jax.value_and_grad(loss_fn)(params, tokens)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng(0)
    rows = NamedSharding(mesh, P("data"))
    for i in range(steps):
        tokens = jax.device_put(rng.integers(0, VOCAB, (batch, 33)), rows)
        params, opt_state, loss = step(params, opt_state, tokens)
        print(i, float(loss))


if __name__ == "__main__":
    main()
