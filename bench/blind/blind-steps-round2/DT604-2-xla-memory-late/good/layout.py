import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

MESH = Mesh(np.asarray(jax.devices()), ("batch",))
ROWS = NamedSharding(MESH, P("batch"))
WHOLE = NamedSharding(MESH, P())
