"""Which dimension of which parameter lies on which mesh axis; first match wins."""
import re

import jax
from jax.sharding import NamedSharding, PartitionSpec as P

RULES = (
    (r"embed", P("tensor", None)),
    (r"attn/.*kernel", P(None, "tensor")),
    (r"ffn/up", P(None, "model")),
    (r"ffn/down", P("model", None)),
    (r".*", P()),
)


def spec_for(name):
    for pattern, spec in RULES:
        if re.search(pattern, name):
            return spec
    raise KeyError(name)


def shardings(mesh, params):
    return {name: NamedSharding(mesh, spec_for(name)) for name in params}
