import os

import jax
import numpy as np
from flax import jax_utils, traverse_util


class Saver:
    def __init__(self, folder, every):
        self.folder, self.every = folder, every

    def __call__(self, state, step):
        if step % self.every:
            return
        params = jax.device_get(jax_utils.unreplicate(state.params))
        if not jax.process_index:
            os.makedirs(self.folder, exist_ok=True)
            flat = traverse_util.flatten_dict(params, sep="/")
            np.savez(os.path.join(self.folder, f"{step:06d}.npz"), **flat)
