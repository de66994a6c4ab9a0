# deadlock save_on_first_host.py:17 ranks=2
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

jax.distributed.initialize()
mesh = Mesh(np.asarray(jax.devices()), ("data",))
state = {"w": jax.device_put(jnp.arange(8.0), NamedSharding(mesh, P("data")))}
saver = ocp.StandardCheckpointer()
if jax.process_index() == 0:
    folder = tempfile.mkdtemp()
    saver.save(folder + "/first", state)
