import re

import jax
from jax.sharding import NamedSharding, PartitionSpec as P

RULES = (
    (r"embed", P(None, "tensor")),
    (r"(wi|wq)$", P(None, "model")),
    (r"wo$", P("tensor", None)),
    (r".*", P()),
)


def spec_for(path):
    name = "/".join(str(p.key) for p in path)
    for pattern, spec in RULES:
        if re.search(pattern, name):
            return spec
    raise ValueError(name)


def shardings(mesh, tree):
    return jax.tree_util.tree_map_with_path(lambda path, _: NamedSharding(mesh, spec_for(path)), tree)
