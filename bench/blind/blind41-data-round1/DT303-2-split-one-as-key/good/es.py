import jax
import jax.numpy as jnp
import numpy as np

from noise import perturb


def fitness(params, x):
    return -jnp.mean((x @ params["w"] + params["b"] - x.sum(-1)) ** 2)


def candidate(key, params, x):
    trial = perturb(key, params, 0.05)
    return trial, fitness(trial, x)


evaluate = jax.pmap(candidate, in_axes=(0, None, None))


def main(generations=200):
    n = jax.local_device_count()
    params = {"w": jnp.zeros(6), "b": jnp.zeros(())}
    key = jax.random.key(11)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(256, 6)).astype(np.float32)
    for _ in range(generations):
        key, *rest = jax.random.split(key, 3)
        mix_key = rest[1]
        trials, scores = evaluate(jax.random.split(rest[0], n), params, x)
        best = jnp.argmax(scores)
        params = jax.tree.map(lambda t: t[best], trials)
        params = perturb(mix_key, params, 1e-4)
    print(float(fitness(params, x)))


if __name__ == "__main__":
    main()
