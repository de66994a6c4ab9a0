from jax.sharding import PartitionSpec as P

RULES = {
    "embed": P(None, None),
    "up": P(None, "model"),
    "down": P("tensor", None),
    "head": P(),
}
BATCH = P("data")
