"""jit over a mesh: one logical program, so one key is right."""
import flax.nnx as nnx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P


class Block(nnx.Module):
    def __init__(self, width, *, rngs):
        self.norm = nnx.LayerNorm(width, rngs=rngs)
        self.up = nnx.Linear(width, 4 * width, rngs=rngs)
        self.down = nnx.Linear(4 * width, width, rngs=rngs)
        self.drop = nnx.Dropout(0.1, rngs=rngs)

    def __call__(self, x):
        return x + self.drop(self.down(jax.nn.gelu(self.up(self.norm(x)))))


class Model(nnx.Module):
    def __init__(self, width, depth, *, rngs):
        self.blocks = nnx.List([Block(width, rngs=rngs) for _ in range(depth)])
        self.head = nnx.Linear(width, 1, rngs=rngs)

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)[..., 0]


def mixup(key, x, y):
    lam_key, perm_key = jax.random.split(key)
    lam = jax.random.beta(lam_key, 0.4, 0.4)
    order = jax.random.permutation(perm_key, x.shape[0])
    return lam * x + (1 - lam) * x[order], lam * y + (1 - lam) * y[order]


@nnx.jit
def update(model, optimizer, key, x, y):
    x, y = mixup(key, x, y)
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x) - y) ** 2))(model)
    optimizer.update(model, grads)
    return loss


def main(steps=50, batch=64):
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    model = Model(32, 2, rngs=nnx.Rngs(params=0, dropout=1))
    optimizer = nnx.Optimizer(model, optax.adamw(1e-3), wrt=nnx.Param)
    state = nnx.state((model, optimizer))
    nnx.update((model, optimizer), jax.device_put(state, NamedSharding(mesh, P())))
    rng = np.random.default_rng(0)
    key = jax.random.key(7)
    for step in range(steps):
        x = rng.normal(size=(batch, 32)).astype(np.float32)
        batch_arrays = jax.device_put((x, x.sum(-1)), NamedSharding(mesh, P("data")))
        loss = update(model, optimizer, jax.random.fold_in(key, step), *batch_arrays)
        if step % 10 == 0:
            print(step, float(loss))


if __name__ == "__main__":
    main()
