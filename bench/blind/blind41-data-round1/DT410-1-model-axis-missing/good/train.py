import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

from sharding import build_mesh, shardings


def init(key, vocab=512, width=64):
    a, b, c = jax.random.split(key, 3)
    return {
        "embedding": jax.random.normal(a, (vocab, width)) * 0.02,
        "wi": jax.random.normal(b, (width, 4 * width)) * 0.02,
        "wo": jax.random.normal(c, (4 * width, vocab)) * 0.02,
    }


def loss_fn(params, tokens):
    hidden = jax.nn.gelu(params["embedding"][tokens[:, :-1]] @ params["wi"])
    logits = hidden @ params["wo"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def main(steps=20):
    mesh = build_mesh(tensor_parallel=2)
    params = init(jax.random.key(0))
    params = jax.device_put(params, shardings(mesh, params))
    tx = optax.sgd(0.1)
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, tokens):
        loss, grads = jax.value_and_grad(loss_fn)(params, tokens)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng(0)
    for _ in range(steps):
        tokens = jax.device_put(rng.integers(0, 512, size=(16, 33)), NamedSharding(mesh, P("data")))
        params, opt_state, loss = step(params, opt_state, tokens)
    print(float(loss))


if __name__ == "__main__":
    main()
