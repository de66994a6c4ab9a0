import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding

import layout


def build_mesh(model_parallel):
    shape = (jax.device_count() // model_parallel, model_parallel)
    return Mesh(mesh_utils.create_device_mesh(shape), axis_names=("data", "model"))


def init(key, vocab=128, dim=64, hidden=256):
    names = ("embed", "up", "down", "head")
    shapes = ((vocab, dim), (dim, hidden), (hidden, dim), (dim, vocab))
    keys = jax.random.split(key, len(names))
    return {n: jax.random.normal(k, s) / s[0] ** 0.5 for n, k, s in zip(names, keys, shapes)}


def forward(p, tokens):
    x = p["embed"][tokens]
    x = x + jax.nn.gelu(x @ p["up"]) @ p["down"]
    return x @ p["head"]


def main(steps=50, batch=32, seq=16):
    mesh = build_mesh(model_parallel=2)
    shardings = {name: NamedSharding(mesh, spec) for name, spec in layout.RULES.items()}
    rows = NamedSharding(mesh, layout.BATCH)
    params = jax.device_put(init(jax.random.key(0)), shardings)
    tx = optax.adamw(1e-3)
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, tokens):
        def loss_fn(p):
            logits = forward(p, tokens[:, :-1])
            return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng(0)
    loss = jnp.inf
    for _ in range(steps):
        tokens = jax.device_put(rng.integers(0, 128, (batch, seq)), rows)
        params, opt_state, loss = step(params, opt_state, tokens)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
