import jax


class Normal:
    def __init__(self, loc, scale):
        self.loc, self.scale = loc, scale

    def sample(self, key):
        return self.loc + self.scale * jax.random.normal(key, self.loc.shape)
