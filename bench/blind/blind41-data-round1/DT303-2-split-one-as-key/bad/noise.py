import jax
import jax.numpy as jnp


def perturb(key, tree, scale):
    leaves, treedef = jax.tree.flatten(tree)
    keys = jax.random.split(key, len(leaves))
    noisy = [leaf + scale * jax.random.normal(k, leaf.shape) for leaf, k in zip(leaves, keys)]
    return jax.tree.unflatten(treedef, noisy)
