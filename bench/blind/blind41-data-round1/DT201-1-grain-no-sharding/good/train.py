import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from pipeline import training_loader


def init_params(key, vocab, width):
    k1, k2 = jax.random.split(key)
    return {
        "emb": jax.random.normal(k1, (vocab, width)) * 0.02,
        "out": jax.random.normal(k2, (width, vocab)) * 0.02,
    }


def loss_fn(params, inputs, targets):
    logits = params["emb"][inputs] @ params["out"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokens", required=True)
    parser.add_argument("--global-batch", type=int, default=256)
    parser.add_argument("--steps", type=int, default=1000)
    args = parser.parse_args()

    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    everywhere = NamedSharding(mesh, P())
    optimizer = optax.adamw(3e-4)

    params = jax.jit(lambda: init_params(jax.random.key(0), 32000, 256), out_shardings=everywhere)()
    opt_state = jax.jit(optimizer.init, out_shardings=everywhere)(params)

    @jax.jit
    def step(params, opt_state, inputs, targets):
        loss, grads = jax.value_and_grad(loss_fn)(params, inputs, targets)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    loader = iter(training_loader(args.tokens, args.global_batch // jax.process_count(), seed=11))
    for i in range(args.steps):
        batch = next(loader)
        inputs = jax.make_array_from_process_local_data(rows, batch["inputs"])
        targets = jax.make_array_from_process_local_data(rows, batch["targets"])
        params, opt_state, loss = step(params, opt_state, inputs, targets)
        if i % 100 == 0 and jax.process_index() == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main()
