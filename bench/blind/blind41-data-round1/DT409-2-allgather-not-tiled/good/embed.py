import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.experimental.mesh_utils import create_device_mesh
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Embedder:
    def __init__(self, weights):
        self.mesh = Mesh(create_device_mesh((jax.device_count(),)), ("rows",))
        self.rows = NamedSharding(self.mesh, P("rows"))
        self.weights = jax.device_put(weights, NamedSharding(self.mesh, P()))
        self.forward = jax.jit(lambda w, x: jnp.tanh(x @ w), out_shardings=self.rows)

    def __call__(self, local_rows):
        x = jax.make_array_from_process_local_data(self.rows, local_rows)
        return self.forward(self.weights, x)


def main(out="emb.npy", per_host=1024):
    jax.distributed.initialize()
    embed = Embedder(np.load("weights.npy"))
    rng = np.random.default_rng(jax.process_index())
    vectors = embed(rng.normal(size=(per_host, 128)).astype(np.float32))
    gathered = multihost_utils.process_allgather(vectors, tiled=True)
    if jax.process_index() == 0:
        np.save(out, gathered)
    multihost_utils.sync_global_devices("written")


if __name__ == "__main__":
    main()
