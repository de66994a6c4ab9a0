import jax
import jax.numpy as jnp

import agent


def score(x):
    return -jnp.sum((x - 2.0) ** 2, axis=-1)


def main(iterations=30):
    state = agent.init(seed=0, dim=6)
    for _ in range(iterations):
        candidates, state = agent.explore(state, 64)
        state = agent.update(state, candidates, score(candidates))
    print("mean", state.mean, "after", state.step)


if __name__ == "__main__":
    main()
