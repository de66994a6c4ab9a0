import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import tokens


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("text")
    parser.add_argument("--steps", type=int, default=1000)
    args = parser.parse_args()

    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    corpus = tokens.encode_all(args.text)
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"embed": jax.random.normal(k1, (256, 64)) / 8, "out": jax.random.normal(k2, (64, 256)) / 8}
    tx = optax.adam(1e-3)
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, ids):
        def nll(p):
            logits = p["embed"][ids[:, :-1]] @ p["out"]
            return optax.softmax_cross_entropy_with_integer_labels(logits, ids[:, 1:].astype(jnp.int32)).mean()

        loss, grads = jax.value_and_grad(nll)(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    draw = np.random.default_rng(0)
    for i in range(args.steps):
        ids = jax.device_put(corpus[draw.integers(0, len(corpus), 64)], rows)
        params, opt_state, loss = step(params, opt_state, ids)
        if i % 100 == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main()
