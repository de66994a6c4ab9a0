import os

import jax
import numpy as np
from absl import app, logging
from jax.experimental import multihost_utils


def prepare(folder):
    path = os.path.join(folder, f"stage-{jax.process_index():03d}.npy")
    if not os.path.exists(path):
        rng = np.random.default_rng(jax.process_index())
        np.save(path, rng.normal(size=(1000, 16)).astype(np.float32))
    return path


def main(argv):
    jax.distributed.initialize()
    folder = argv[1] if len(argv) > 1 else "/shared/stage"
    path = prepare(folder)
    multihost_utils.sync_global_devices("staged")
    shapes = multihost_utils.process_allgather(np.asarray(np.load(path).shape))
    if jax.process_index() == 0:
        logging.info("shapes %s", shapes.tolist())


if __name__ == "__main__":
    app.run(main)
