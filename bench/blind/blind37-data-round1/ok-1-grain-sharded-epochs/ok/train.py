import dataclasses
import functools
import json

import grain.python as grain
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@dataclasses.dataclass(frozen=True)
class Settings:
    global_batch: int = 512
    features: int = 64
    epochs: int = 3
    seed: int = 11


class Waves(grain.RandomAccessDataSource):
    def __init__(self, n=100_000, features=64):
        self.n, self.features = n, features

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        phase = np.linspace(0, 1, self.features, dtype=np.float32) * (1 + i % 17)
        return {"x": np.sin(phase), "y": np.float32(i % 17)}


def loader(settings, epoch):
    source = Waves(features=settings.features)
    sampler = grain.IndexSampler(
        num_records=len(source),
        shard_options=grain.ShardByJaxProcess(drop_remainder=True),
        shuffle=True,
        num_epochs=1,
        seed=settings.seed + epoch,
    )
    local = settings.global_batch // jax.process_count()
    return grain.DataLoader(
        data_source=source, sampler=sampler, operations=[grain.Batch(local, drop_remainder=True)], worker_count=4
    )


def init(key, features):
    a, b = jax.random.split(key)
    return {"w1": jax.random.normal(a, (features, 128)) * 0.05, "w2": jax.random.normal(b, (128, 1)) * 0.05}


def loss_fn(params, batch):
    hidden = jax.nn.gelu(batch["x"] @ params["w1"])
    return jnp.mean((jnp.squeeze(hidden @ params["w2"], -1) - batch["y"]) ** 2)


@functools.partial(jax.jit, static_argnames=("tx",), donate_argnums=(0, 1))
def step(params, opt_state, batch, *, tx):
    loss, grads = jax.value_and_grad(loss_fn)(params, batch)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def main():
    jax.distributed.initialize()
    settings = Settings()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    split, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    params = jax.device_put(init(jax.random.key(settings.seed), settings.features), whole)
    tx = optax.adamw(1e-3)
    opt_state = jax.device_put(tx.init(params), whole)
    log = open("loss.jsonl", "a") if jax.process_index() == 0 else None
    for epoch in range(settings.epochs):
        for number, local in enumerate(loader(settings, epoch)):
            batch = jax.tree.map(lambda a: jax.make_array_from_process_local_data(split, a), local)
            params, opt_state, loss = step(params, opt_state, batch, tx=tx)
            if number % 50 == 0 and log is not None:
                log.write(json.dumps({"epoch": epoch, "step": number, "loss": float(loss)}) + "\n")
    if log is not None:
        log.close()
    jax.distributed.shutdown()


if __name__ == "__main__":
    main()
