import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from trainer import Trainer


def generate(count, size, sharding, seed):
    draw = np.random.default_rng(seed)
    for _ in range(count):
        x = draw.normal(size=(size, 8)).astype(np.float32)
        yield jax.device_put((x, np.cos(x).sum(-1)), sharding)


def main():
    mesh = Mesh(np.asarray(jax.devices()), ("batch",))
    rows, whole = NamedSharding(mesh, P("batch")), NamedSharding(mesh, P())
    kw, kv = jax.random.split(jax.random.key(3))
    params = {"w": jax.random.normal(kw, (8, 64)) / 3, "v": jax.random.normal(kv, (64, 1)) / 8}
    trainer = Trainer(jax.device_put(params, whole), lr=1e-3)
    validation = next(generate(1, 1024, rows, seed=1))
    print("best", trainer.fit(generate(2000, 128, rows, seed=0), validation, patience=30))


if __name__ == "__main__":
    main()
