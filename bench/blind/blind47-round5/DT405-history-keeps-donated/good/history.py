from collections import deque

import jax
import jax.numpy as jnp


class History:
    def __init__(self, size=3):
        self.states = deque(maxlen=size)

    def push(self, state):
        self.states.append(state)

    def spread(self):
        first, last = self.states[0], self.states[-1]
        return float(jnp.abs(first["w"] - last["w"]).max())
