import jax
import numpy as np

from st.state import TrainState
from st.step import step


def main(steps=30):
    k_up, k_down, k_state = jax.random.split(jax.random.key(0), 3)
    params = {"up": jax.random.normal(k_up, (4, 32)) / 2, "down": jax.random.normal(k_down, (32, 1)) / 6}
    state = TrainState(params, k_state)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(16, 4)).astype(np.float32)
        state = step(state, x, x.sum(-1, keepdims=True))
    return state


if __name__ == "__main__":
    main()
