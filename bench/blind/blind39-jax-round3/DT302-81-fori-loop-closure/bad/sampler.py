import jax
import jax.numpy as jnp


class Langevin:
    def __init__(self, energy, step_size, steps):
        self.slope = jax.grad(lambda params, x: energy(params, x).sum(), argnums=1)
        self.step_size = step_size
        self.steps = steps

    def run(self, params, x, key):
        scale = jnp.sqrt(2 * self.step_size)

        def move(i, x):
            noise_key = key
            noise = jax.random.normal(noise_key, x.shape)
            return x - self.step_size * self.slope(params, x) + scale * noise

        return jax.lax.fori_loop(0, self.steps, move, x)
