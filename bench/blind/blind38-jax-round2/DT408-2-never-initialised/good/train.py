import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def token_rows(path, per_host, seed):
    tokens = np.memmap(path, dtype=np.uint16, mode="r").reshape(-1, 513)
    mine = tokens[jax.process_index() :: jax.process_count()]
    mine = mine[: len(tokens) // jax.process_count()]
    rng = np.random.default_rng([seed, jax.process_index()])
    while True:
        yield mine[rng.integers(0, len(mine), per_host)].astype(np.int32)


def init(key, vocab=32768, width=512):
    k_embed, k_mix = jax.random.split(key)
    return {
        "embed": jax.random.normal(k_embed, (vocab, width)) * 0.02,
        "mix": jax.random.normal(k_mix, (width, width)) / width**0.5,
    }


def loss_fn(params, rows):
    x = params["embed"][rows[:, :-1]]
    x = x + jax.nn.gelu(x @ params["mix"])
    return optax.softmax_cross_entropy_with_integer_labels(x @ params["embed"].T, rows[:, 1:]).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--global-batch", type=int, default=512)
    args = parser.parse_args()
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    sharding, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    tx = optax.adamw(3e-4)
    params = jax.device_put(init(jax.random.key(0)), whole)
    opt_state = jax.device_put(tx.init(params), whole)

    @jax.jit
    def step(params, opt_state, rows):
        loss, grads = jax.value_and_grad(loss_fn)(params, rows)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    stream = token_rows("corpus.bin", args.global_batch // jax.process_count(), seed=0)
    for i in range(args.steps):
        rows = jax.make_array_from_process_local_data(sharding, next(stream))
        params, opt_state, loss = step(params, opt_state, rows)
        if i % 100 == 0 and jax.process_index() == 0:
            print(i, float(loss), flush=True)
    multihost_utils.sync_global_devices("trained")


if __name__ == "__main__":
    main()
