import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from nnxdemo.model import Net


@nnx.jit
def train_step(model, optimizer, x, y):
    def loss_fn(model):
        return jnp.mean((model(x) - y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def main(steps=20, batch=32, dim=8):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    model = Net(dim, 2, nnx.Rngs(params=0, dropout=1))
    optimizer = nnx.Optimizer(model, optax.adamw(1e-3), wrt=nnx.Param)
    state = nnx.state((model, optimizer))
    nnx.update((model, optimizer), jax.device_put(state, whole))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(batch, dim)).astype(np.float32)
        x, y = jax.device_put((x, x.sum(-1)), rows)
        loss = train_step(model, optimizer, x, y)
    print(float(loss))


if __name__ == "__main__":
    main()
