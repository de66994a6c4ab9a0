# mismatch host_number_in_program.py:15 ranks=2
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
host = jax.process_index()
x = jax.device_put(jnp.ones((8, 3)), rows)
scaled = jax.jit(lambda x: x.sum() * host, in_shardings=rows)(x)
