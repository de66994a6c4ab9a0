import jax
import optax

from loop.train_state import advance


class Trainer:
    def __init__(self, state):
        self.state = state
        self.advance = jax.jit(advance, donate_argnums=0)

    def fit(self, batches):
        for i, x in enumerate(batches):
            self.state, grad_norm = self.advance(self.state, x)
            if i % 10 == 0:
                print(i, float(grad_norm), float(optax.global_norm(self.state.params)))
