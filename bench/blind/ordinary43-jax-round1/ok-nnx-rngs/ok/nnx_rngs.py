"""flax nnx with stateful Rngs."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Block(nnx.Module):
    def __init__(self, width, rate, *, rngs):
        self.up = nnx.Linear(width, 2 * width, rngs=rngs)
        self.down = nnx.Linear(2 * width, width, rngs=rngs)
        self.drop = nnx.Dropout(rate, rngs=rngs)

    def __call__(self, x):
        return x + self.drop(self.down(nnx.gelu(self.up(x))))


class Net(nnx.Module):
    def __init__(self, din, width, dout, depth, rngs: nnx.Rngs):
        self.stem = nnx.Linear(din, width, rngs=rngs)
        self.blocks = nnx.List([Block(width, 0.1, rngs=rngs) for _ in range(depth)])
        self.head = nnx.Linear(width, dout, rngs=rngs)
        self.pos = nnx.Param(jax.random.normal(rngs.params(), (width,)) * 0.02)

    def __call__(self, x):
        x = self.stem(x) + self.pos
        for block in self.blocks:
            x = block(x)
        return self.head(x)


@nnx.jit
def train_step(model, optimizer, x, y):
    def loss_fn(model):
        return jnp.mean((model(x) - y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def main():
    rngs = nnx.Rngs(params=0, dropout=1, data=2)
    model = Net(4, 16, 1, 2, rngs)
    optimizer = nnx.Optimizer(model, optax.adamw(1e-3), wrt=nnx.Param)
    for step in range(20):
        x = jax.random.normal(rngs.data(), (32, 4))
        y = x.sum(1, keepdims=True) + 0.01 * jax.random.normal(rngs.data(), (32, 1))
        loss = train_step(model, optimizer, x, y)
    model.eval()
    test = jax.random.normal(rngs.data(), (64, 4))
    print(float(loss), model(test).shape)


if __name__ == "__main__":
    main()
