import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class Config:
    vocab: int = 512
    width: int = 64
    batch: int = 64
    length: int = 32
    steps: int = 200


def init(key, cfg):
    first, second = jax.random.split(key)
    return {
        "embed": jax.random.normal(first, (cfg.vocab, cfg.width)) * 0.02,
        "out": jax.random.normal(second, (cfg.width, cfg.vocab)) * 0.02,
    }


@functools.partial(jax.jit, donate_argnums=0)
def update(params, tokens):
    def loss_fn(p):
        logits = p["embed"][tokens[:, :-1]] @ p["out"]
        logp = jax.nn.log_softmax(logits)
        return -jnp.take_along_axis(logp, tokens[:, 1:, None], axis=-1).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss


def read_records(path, cfg):
    per_host = cfg.batch // jax.process_count()
    table = np.memmap(path, dtype=np.int32, mode="r").reshape(-1, cfg.length)
    table = table[: len(table) - len(table) % jax.process_count()]
    mine = table[jax.process_index() :: jax.process_count()]
    for start in range(0, len(mine) - per_host + 1, per_host):
        rows = np.array(mine[start : start + per_host])
        if (rows < 0).any() or (rows >= cfg.vocab).any():
            raise ValueError(f"token outside the vocabulary near row {start}")
        yield rows


def main(path="tokens.bin"):
    jax.distributed.initialize()
    cfg = Config()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    params = jax.device_put(init(jax.random.key(0), cfg), NamedSharding(mesh, P()))
    try:
        for step, local in enumerate(read_records(path, cfg)):
            params, loss = update(params, jax.make_array_from_process_local_data(rows, local))
    except ValueError:
        multihost_utils.sync_global_devices("bad-input")
        raise
    if jax.process_index() == 0:
        np.savez("lm.npz", **{name: np.asarray(value) for name, value in params.items()})
    multihost_utils.sync_global_devices("saved")


if __name__ == "__main__":
    main()
