from flax import nnx


class Feed(nnx.Module):
    def __init__(self, dim, rate, rngs):
        init = nnx.initializers.lecun_normal()
        self.up = nnx.Linear(dim, 4 * dim, kernel_init=nnx.with_partitioning(init, (None, "model")), rngs=rngs)
        self.down = nnx.Linear(4 * dim, dim, kernel_init=nnx.with_partitioning(init, ("model", None)), rngs=rngs)
        self.drop = nnx.Dropout(rate, rngs=rngs)

    def __call__(self, x):
        return x + self.drop(self.down(nnx.gelu(self.up(x))))


class Net(nnx.Module):
    def __init__(self, dim, depth, rngs):
        self.blocks = nnx.List([Feed(dim, 0.1, rngs) for _ in range(depth)])
        self.head = nnx.Linear(dim, 1, rngs=rngs)

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)[..., 0]
