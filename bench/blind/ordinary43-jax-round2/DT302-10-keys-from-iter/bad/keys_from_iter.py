"""Keys by an iterator, by zip over names and by unflatten of a tree."""
import jax
import jax.numpy as jnp


def init_by_iter(key):
    keys = iter(jax.random.split(key, 8))
    encoder = [jax.random.normal(key, (8, 8)) for _ in range(4)]
    decoder = [jax.random.normal(next(keys), (8, 8)) for _ in range(3)]
    return {"encoder": encoder, "decoder": decoder, "head": jax.random.normal(next(keys), (8, 1))}


def init_by_name(key, shapes):
    keys = dict(zip(shapes, jax.random.split(key, len(shapes))))
    return {name: 0.1 * jax.random.normal(keys[name], shape) for name, shape in shapes.items()}


def noise_like(key, tree):
    leaves, treedef = jax.tree_util.tree_flatten(tree)
    keys = treedef.unflatten(jax.random.split(key, len(leaves)))
    return jax.tree_util.tree_map(lambda x, k: jax.random.normal(k, x.shape), tree, keys)


def perturb(key, tree, scale):
    return jax.tree_util.tree_map(lambda x, n: x + scale * n, tree, noise_like(key, tree))


def main():
    key = jax.random.key(3)
    a_key, b_key, *perturb_keys = jax.random.split(key, 5)
    a = init_by_iter(a_key)
    b = init_by_name(b_key, {"w": (4, 4), "u": (4, 2), "b": (2,)})
    population = [perturb(k, b, 0.1) for k in perturb_keys]
    print(len(a["encoder"]), jnp.stack([p["b"] for p in population]).std())


main()
