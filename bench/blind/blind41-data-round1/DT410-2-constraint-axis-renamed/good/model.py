import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P


def constrain(x, mesh, *names):
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(*names)))


def forward(params, tokens, mesh):
    x = params["emb"][tokens]
    x = constrain(x, mesh, "dp", None, None)
    h = constrain(jax.nn.gelu(x @ params["up"]), mesh, "dp", None, "mp")
    return h @ params["down"]
