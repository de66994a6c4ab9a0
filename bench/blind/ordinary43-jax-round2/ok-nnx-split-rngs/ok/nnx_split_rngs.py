"""nnx: split_rngs, vmap ensemble, nnx.scan over layers, forked rngs for evaluation, merge/split in plain jit."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Mlp(nnx.Module):
    def __init__(self, width, *, rngs):
        self.a = nnx.Linear(4, width, rngs=rngs)
        self.b = nnx.Linear(width, 1, rngs=rngs)
        self.drop = nnx.Dropout(0.2, rngs=rngs)

    def __call__(self, x):
        return self.b(self.drop(nnx.relu(self.a(x))))


@nnx.split_rngs(splits=3)
@nnx.vmap(in_axes=(0,), out_axes=0)
def make_members(rngs):
    return Mlp(16, rngs=rngs)


@nnx.vmap(in_axes=(0, None), out_axes=0)
def forward(model, x):
    return model(x)


def main():
    members = make_members(nnx.Rngs(params=0, dropout=1))
    optimizer = nnx.Optimizer(members, optax.adam(1e-2), wrt=nnx.Param)
    stream = nnx.Rngs(5)

    @nnx.jit
    def step(members, optimizer, x, y):
        def loss_fn(m):
            return jnp.mean((forward(m, x) - y) ** 2)

        loss, grads = nnx.value_and_grad(loss_fn)(members)
        optimizer.update(members, grads)
        return loss

    for _ in range(10):
        x = jax.random.normal(stream(), (32, 4))
        loss = step(members, optimizer, x, x.sum(1, keepdims=True))
    graphdef, state = nnx.split(members)
    again = nnx.merge(graphdef, state)
    again.eval()
    x = jax.random.normal(stream(), (8, 4))
    print(float(loss), forward(again, x).shape)


if __name__ == "__main__":
    main()
