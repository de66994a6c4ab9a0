"""Contrastive training on several hosts; crops are drawn on the host, per step."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

BASE_SEED = 1000


def host_rng(step):
    return np.random.default_rng([BASE_SEED, step, jax.process_index()])


class PairSource:
    """Two noisy crops of random rows of this host's part of the signal bank."""

    def __init__(self, path, per_host, length):
        bank = np.load(path, mmap_mode="r")
        self.bank = bank[jax.process_index() :: jax.process_count()]
        self.per_host, self.length = per_host, length

    def crop(self, rng, rows):
        starts = rng.integers(0, self.bank.shape[1] - self.length, size=len(rows))
        return np.stack([self.bank[r, s : s + self.length] for r, s in zip(rows, starts)]).astype(np.float32)

    def at(self, step):
        rng = host_rng(step)
        rows = rng.integers(0, len(self.bank), size=self.per_host)
        return self.crop(rng, rows), self.crop(rng, rows)


def init(key, length, width=64):
    return {"proj": jax.random.normal(key, (length, width)) * length**-0.5}


def loss_fn(params, a, b):
    unit = lambda z: z / (jnp.linalg.norm(z, axis=-1, keepdims=True) + 1e-6)
    logits = unit(a @ params["proj"]) @ unit(b @ params["proj"]).T / 0.1
    return optax.softmax_cross_entropy_with_integer_labels(logits, jnp.arange(len(a))).mean()


def main(steps=3000, global_batch=1024, length=256):
    jax.distributed.initialize()
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    params = jax.jit(init, static_argnums=1, out_shardings=NamedSharding(mesh, P()))(jax.random.key(BASE_SEED), length)
    tx = optax.adam(1e-3)
    opt_state = tx.init(params)

    @jax.jit
    def update(params, opt_state, a, b):
        loss, grads = jax.value_and_grad(loss_fn)(params, a, b)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    source = PairSource("signals.npy", global_batch // jax.process_count(), length)
    rows = NamedSharding(mesh, P("data"))
    for step in range(steps):
        a, b = (jax.make_array_from_process_local_data(rows, part) for part in source.at(step))
        params, opt_state, loss = update(params, opt_state, a, b)
        if step % 200 == 0:
            value = float(loss)
            if jax.process_index() == 0:
                print(step, value)


if __name__ == "__main__":
    main()
