import jax
import jax.numpy as jnp

from rl.rollout import batch_return


def evolve(params, key, population=16, sigma=0.1):
    k_noise, k_eval = jax.random.split(key)
    noise = jax.random.normal(k_noise, (population, 2, 2))
    keys = jax.random.split(k_eval, 8)
    scores = jnp.stack([batch_return({**params, "w": params["w"] + sigma * n}, keys) for n in noise])
    weights = jax.nn.softmax(scores)
    return {**params, "w": params["w"] + sigma * jnp.einsum("p,pij->ij", weights, noise)}


def main(generations=5):
    params = {"w": jnp.zeros((2, 2)), "b": jnp.zeros(2)}
    key = jax.random.key(0)
    for generation in range(generations):
        params = evolve(params, jax.random.fold_in(key, generation))
    print(params)


if __name__ == "__main__":
    main()
