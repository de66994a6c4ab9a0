from jax.sharding import PartitionSpec as P

BATCH = "data"
TENSOR = "tensor"


def activations(*rest):
    return P(BATCH, *rest)


def columns():
    return P(None, TENSOR)


def rows():
    return P(TENSOR, None)
