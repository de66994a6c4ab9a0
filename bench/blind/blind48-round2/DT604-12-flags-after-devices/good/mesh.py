import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

MESH = Mesh(np.asarray(jax.devices()), ("data",))
ROWS = NamedSharding(MESH, P("data"))
EVERYWHERE = NamedSharding(MESH, P())
