import os
import shutil

import jax
import jax.numpy as jnp
import numpy as np
from absl import app, flags
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

_SOURCE = flags.DEFINE_string("source", "/shared/raw", "Folder with the raw weights.")
_TARGET = flags.DEFINE_string("target", "/shared/converted", "Folder that is read by training.")


def convert(source, target):
    staging = target + ".tmp"
    shutil.rmtree(staging, ignore_errors=True)
    os.makedirs(staging)
    for name in sorted(os.listdir(source)):
        weight = np.load(os.path.join(source, name))
        np.save(os.path.join(staging, name), weight.astype(np.float32).T)
    os.replace(staging, target)


def load(target):
    weights = {}
    for name in sorted(os.listdir(target)):
        weights[name.removesuffix(".npy")] = np.load(os.path.join(target, name))
    return weights


def main(argv):
    del argv
    jax.distributed.initialize()
    if jax.process_index() == 0:
        convert(_SOURCE.value, _TARGET.value)
    multihost_utils.sync_global_devices("converted")
    mesh = Mesh(np.array(jax.devices()), ("data",))
    replicated = NamedSharding(mesh, P())
    weights = jax.tree.map(lambda w: jax.device_put(w, replicated), load(_TARGET.value))

    @jax.jit
    def norm(tree):
        return jnp.sqrt(sum(jnp.sum(w**2) for w in jax.tree.leaves(tree)))

    total = norm(weights)
    if jax.process_index() == 0:
        print("norm", float(total))


if __name__ == "__main__":
    app.run(main)
