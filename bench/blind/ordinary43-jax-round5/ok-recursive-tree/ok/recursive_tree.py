"""Recursion over a nested config: keys go down by fold_in of a hash of the path or split per child."""
import zlib

import jax
import jax.numpy as jnp

SPEC = {"enc": {"l0": (4, 8), "l1": (8, 8)}, "dec": {"l0": (8, 8), "out": (8, 2)}, "scale": ()}


def fold_name(key, name):
    return jax.random.fold_in(key, zlib.crc32(name.encode()) & 0x7FFFFFFF)


def init(key, spec, path=""):
    if isinstance(spec, dict):
        return {name: init(fold_name(key, name), sub, f"{path}/{name}") for name, sub in spec.items()}
    if not spec:
        return jnp.ones(())
    return jax.random.normal(key, spec) / spec[0] ** 0.5


def init_split(key, spec):
    if not isinstance(spec, dict):
        return jax.random.normal(key, spec)
    out = {}
    for name, sub in spec.items():
        key, child = jax.random.split(key)
        out[name] = init_split(child, sub)
    return out


def binary(key, depth):
    if depth == 0:
        return [jax.random.uniform(key)]
    left, right = jax.random.split(key)
    return binary(left, depth - 1) + binary(right, depth - 1)


def main():
    params = init(jax.random.key(0), SPEC)
    other = init_split(jax.random.key(1), SPEC)
    leaves = binary(jax.random.key(2), 4)
    flat = jax.tree_util.tree_leaves_with_path(params)
    print(len(flat), len(jax.tree.leaves(other)), len(set(map(float, leaves))))


if __name__ == "__main__":
    main()
