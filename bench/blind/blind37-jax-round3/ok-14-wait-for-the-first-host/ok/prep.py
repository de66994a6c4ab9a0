import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def vocabulary(path, corpus):
    """Made by the first host on the shared disk, read by all of them when it is there."""
    if jax.process_index() == 0 and not path.exists():
        words = sorted({word for line in corpus.read_text().splitlines() for word in line.split()})
        path.write_text(json.dumps({word: i for i, word in enumerate(words)}))
    multihost_utils.sync_global_devices("vocabulary")
    return json.loads(path.read_text())


def main(steps=100):
    jax.distributed.initialize()
    table = vocabulary(pathlib.Path("vocab.json"), pathlib.Path("corpus.txt"))
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    embed = jax.jit(
        lambda key: jax.random.normal(key, (len(table), 32)), out_shardings=NamedSharding(mesh, P())
    )(jax.random.key(0))

    @jax.jit
    def step(embed, ids):
        def loss(e):
            return jnp.mean((e[ids[:, :-1]] - e[ids[:, 1:]]) ** 2) + jnp.mean((jnp.linalg.norm(e, axis=-1) - 1) ** 2)

        return embed - 0.1 * jax.grad(loss)(embed)

    draw = np.random.default_rng((0, jax.process_index()))
    for _ in range(steps):
        ids = draw.integers(0, len(table), (64, 16))
        embed = step(embed, jax.make_array_from_process_local_data(rows, ids))
    if jax.process_index() == 0:
        np.save("embed.npy", np.asarray(embed))


if __name__ == "__main__":
    main()
