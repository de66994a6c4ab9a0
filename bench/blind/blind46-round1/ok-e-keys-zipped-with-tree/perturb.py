import jax
import jax.numpy as jnp
import numpy as np


def split_like(key, tree):
    treedef = jax.tree.structure(tree)
    return jax.tree.unflatten(treedef, list(jax.random.split(key, treedef.num_leaves)))


def perturb(key, params, scale):
    return jax.tree.map(lambda p, k: p + scale * jax.random.normal(k, p.shape), params, split_like(key, params))


def fitness(params, x, y):
    return -jnp.mean((jnp.tanh(x @ params["w"]) @ params["v"] - y) ** 2)


@jax.jit
def generation(params, key, x, y):
    def member(k):
        candidate = perturb(k, params, 0.05)
        return fitness(candidate, x, y), candidate

    scores, members = jax.vmap(member)(jax.random.split(key, 32))
    best = jnp.argmax(scores)
    return jax.tree.map(lambda leaf: leaf[best], members), scores[best]


def main(rounds=30):
    key = jax.random.key(5)
    key, k_w, k_v = jax.random.split(key, 3)
    params = {"w": 0.2 * jax.random.normal(k_w, (5, 12)), "v": 0.2 * jax.random.normal(k_v, (12,))}
    rng = np.random.default_rng(0)
    x = rng.normal(size=(128, 5)).astype(np.float32)
    for step in range(rounds):
        params, score = generation(params, jax.random.fold_in(key, step), x, x.sum(-1))
    print(float(score))


if __name__ == "__main__":
    main()
