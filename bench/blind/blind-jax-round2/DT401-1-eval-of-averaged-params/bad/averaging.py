import jax


class HostAverage:
    """Exponential moving average of parameters, kept in host memory."""

    def __init__(self, params, decay):
        self.decay = decay
        self.value = jax.device_get(params)

    def update(self, params):
        new = jax.device_get(params)
        self.value = jax.tree_util.tree_map(
            lambda old, now: self.decay * old + (1 - self.decay) * now, self.value, new
        )
