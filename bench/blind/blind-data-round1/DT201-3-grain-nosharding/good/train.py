import argparse
import functools

import flax.linen as nn
import grain.python as grain
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Spectra:
    """Random-access source over a memory-mapped file."""

    def __init__(self, path, bins):
        self._rows = np.load(path, mmap_mode="r")
        self._bins = bins

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, index):
        row = np.asarray(self._rows[index], dtype=np.float32)
        return {"x": row[: self._bins], "y": row[self._bins :].sum()}


class Regressor(nn.Module):
    hidden: int = 64

    @nn.compact
    def __call__(self, x):
        for _ in range(2):
            x = nn.gelu(nn.Dense(self.hidden)(x))
        return nn.Dense(1)(x)[..., 0]


def make_loader(args):
    source = Spectra(args.data, args.bins)
    sampler = grain.IndexSampler(
        num_records=len(source),
        shuffle=True,
        seed=args.seed,
        num_epochs=args.epochs,
        shard_options=grain.ShardByJaxProcess(drop_remainder=True),
    )
    return grain.DataLoader(
        data_source=source,
        sampler=sampler,
        operations=[grain.Batch(batch_size=args.global_batch // jax.process_count(), drop_remainder=True)],
        worker_count=0,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="spectra.npy")
    parser.add_argument("--bins", type=int, default=48)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--global-batch", type=int, default=32)
    args = parser.parse_args()
    jax.distributed.initialize()
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    batch_sharding = NamedSharding(mesh, P("data"))
    model = Regressor()
    tx = optax.adam(3e-4)
    params = jax.jit(model.init, out_shardings=NamedSharding(mesh, P()))(
        jax.random.key(args.seed), jnp.zeros((1, args.bins))
    )
    opt_state = tx.init(params)

    @jax.jit
    def update(params, opt_state, batch):
        def objective(p):
            return jnp.mean((model.apply(p, batch["x"]) - batch["y"]) ** 2)

        loss, grads = jax.value_and_grad(objective)(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    place = functools.partial(jax.make_array_from_process_local_data, batch_sharding)
    loss = jnp.inf
    for batch in make_loader(args):
        params, opt_state, loss = update(params, opt_state, jax.tree.map(place, batch))
    if jax.process_index() == 0:
        print("final loss", float(loss))


if __name__ == "__main__":
    main()
