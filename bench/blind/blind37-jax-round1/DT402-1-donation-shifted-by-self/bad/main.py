import jax
import numpy as np

from learner import QLearner, Transition


def replay(batch, n_obs, n_actions, seed):
    draw = np.random.default_rng(seed)
    n = jax.local_device_count()
    while True:
        obs = draw.normal(size=(n, batch // n, n_obs)).astype(np.float32)
        yield Transition(
            obs=obs,
            action=draw.integers(0, n_actions, size=obs.shape[:2]),
            target=obs.sum(-1),
        )


def main(iterations=500):
    learner = QLearner(n_obs=8, n_actions=4, learning_rate=1e-3)
    state = learner.initial_state(jax.random.key(1))
    buffer = replay(256, 8, 4, seed=2)
    for i in range(iterations):
        state, loss = learner.update(state, next(buffer))
        if i % 100 == 0:
            print(i, float(loss[0]))


if __name__ == "__main__":
    main()
