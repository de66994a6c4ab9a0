import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import NamedSharding, PartitionSpec as P


class Evaluator:
    def __init__(self, mesh, apply_fn):
        self.rows = NamedSharding(mesh, P("data"))
        self.predict = jax.jit(apply_fn, out_shardings=self.rows)

    def scores(self, params, host_batches):
        out = []
        for x in host_batches:
            x = jax.make_array_from_process_local_data(self.rows, x)
            probs = jax.nn.softmax(self.predict(params, x))
            out.append(np.asarray(probs))
        return np.concatenate(out)
