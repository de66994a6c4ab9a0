# deadlock uneven_loop.py:14 ranks=2
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

jax.distributed.initialize()
mesh = Mesh(np.asarray(jax.devices()), ("data",))
rows, everywhere = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
step = jax.jit(lambda w, x: w - 0.1 * jnp.mean(x), in_shardings=(everywhere, rows), out_shardings=everywhere)
w = jax.device_put(jnp.zeros(3), everywhere)
for _ in range(2 + jax.process_index()):
    x = jax.make_array_from_process_local_data(rows, np.ones((4, 3), np.float32))
    w = step(w, x)
