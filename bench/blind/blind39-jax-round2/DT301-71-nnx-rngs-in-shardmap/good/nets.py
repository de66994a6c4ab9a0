from flax import nnx


class Encoder(nnx.Module):
    def __init__(self, dims, rate, *, rngs):
        self.layers = nnx.List([nnx.Linear(a, b, rngs=rngs) for a, b in zip(dims, dims[1:])])
        self.rate = rate

    def __call__(self, x, rngs):
        drop = nnx.Dropout(self.rate, deterministic=False)
        for layer in self.layers[:-1]:
            x = drop(nnx.relu(layer(x)), rngs=rngs)
        return self.layers[-1](x)
