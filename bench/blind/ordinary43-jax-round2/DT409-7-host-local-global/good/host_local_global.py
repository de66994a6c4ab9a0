"""host_local_array_to_global_array and back; per-host prints of local shards only."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P


def main():
    mesh = Mesh(np.array(jax.devices()), ("x",))
    rows = 4 * jax.local_device_count()
    local = np.arange(rows, dtype=np.float32)[:, None] + 1000 * jax.process_index()
    glob = multihost_utils.host_local_array_to_global_array(local, mesh, P("x"))

    @jax.jit
    def normalise(a):
        return (a - a.mean()) / a.std()

    out = normalise(glob)
    back = multihost_utils.global_array_to_host_local_array(out, mesh, P("x"))
    print(jax.process_index(), np.asarray(back).shape)
    for shard in out.addressable_shards:
        assert np.isfinite(np.asarray(shard.data)).all()
    total = jax.jit(jnp.sum)(glob)
    if jax.process_index() == 0:
        print("global sum", float(total))
    everything = multihost_utils.process_allgather(out, tiled=True)
    assert everything.shape[0] == rows * jax.process_count()


if __name__ == "__main__":
    main()
