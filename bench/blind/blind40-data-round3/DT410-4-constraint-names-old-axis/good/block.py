import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P


def constrain(x, mesh, *names):
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(*names)))


def block(params, x, mesh):
    h = jax.nn.gelu(x @ params["up"])
    h = constrain(h, mesh, "dp", "tp")
    return constrain(x + h @ params["down"], mesh, "dp", None)
