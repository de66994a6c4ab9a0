import jax
import numpy as np


class Pairs:
    def __init__(self, each, seed, temperature):
        self.each, self.temperature = each, temperature
        self.rng = np.random.default_rng(seed)
        self.devices = jax.local_device_count()

    def __iter__(self):
        return self

    def __next__(self):
        a = self.rng.normal(size=(self.devices, self.each, 10)).astype(np.float32)
        b = a + 0.1 * self.rng.normal(size=a.shape).astype(np.float32)
        return {"a": a, "b": b, "temperature": np.full((self.devices,), self.temperature, np.float32)}
