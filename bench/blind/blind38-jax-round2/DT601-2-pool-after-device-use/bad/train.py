import argparse
import csv

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from featurise import featurise


def read(path):
    with open(path, newline="") as source:
        rows = list(csv.DictReader(source))
    return [row["smiles"] for row in rows], np.array([float(row["logp"]) for row in rows], np.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", default="molecules.csv")
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--steps", type=int, default=2000)
    args = parser.parse_args()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"w": jax.random.normal(k1, (256, 128)) / 16, "v": jax.random.normal(k2, (128,)) / 11}
    params = jax.device_put(params, whole)
    tx = optax.adam(1e-3)
    opt_state = jax.device_put(tx.init(params), whole)

    @jax.jit
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((jax.nn.relu(x @ p["w"]) @ p["v"] - y) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    texts, target = read(args.table)
    features = featurise(texts, args.workers)
    rng = np.random.default_rng(0)
    for i in range(args.steps):
        pick = rng.integers(0, len(features), args.batch)
        x, y = jax.device_put((features[pick], target[pick]), rows)
        params, opt_state, loss = step(params, opt_state, x, y)
        if i % 200 == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main()
