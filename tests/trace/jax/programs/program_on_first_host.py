# deadlock program_on_first_host.py:16 ranks=2
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
x = jax.device_put(jnp.ones((8, 3)), rows)
if jax.process_index() == 0:
    w = step(w, x)
step(w, x)
