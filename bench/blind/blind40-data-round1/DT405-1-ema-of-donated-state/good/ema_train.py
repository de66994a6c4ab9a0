import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState
from jax.sharding import Mesh, NamedSharding, PartitionSpec


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.LayerNorm()(nn.Dense(96)(x))
        return nn.Dense(1)(nn.swish(x))[..., 0]


def loss_fn(params, apply_fn, x, y):
    return optax.l2_loss(apply_fn({"params": params}, x), y).mean()


def step(state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(state.params, state.apply_fn, x, y)
    return state.apply_gradients(grads=grads), loss


@jax.jit
def blend(ema, params, decay):
    return jax.tree.map(lambda e, p: decay * e + (1 - decay) * p, ema, params)


class Loop:
    def __init__(self, mesh, decay=0.999):
        self.rows = NamedSharding(mesh, PartitionSpec("data"))
        self.whole = NamedSharding(mesh, PartitionSpec())
        self.decay = decay
        self.train_step = jax.jit(step, donate_argnums=(0,), in_shardings=(self.whole, self.rows, self.rows))

    def start(self, key):
        model = Net()
        params = model.init(key, jnp.zeros((1, 20)))["params"]
        state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
        return jax.device_put(state, self.whole), jax.device_put(jax.tree.map(jnp.copy, params), self.whole)

    def run(self, source, key, steps):
        state, ema = self.start(key)
        losses = []
        for _, (x, y) in zip(range(steps), source):
            x, y = jax.device_put((x, y), self.rows)
            fresh, loss = self.train_step(state, x, y)
            state = fresh
            ema = blend(ema, state.params, self.decay)
            losses.append(loss)
        return ema, np.asarray(jnp.stack(losses))


def source(rows):
    rng = np.random.default_rng(8)
    while True:
        x = rng.normal(size=(rows, 20)).astype(np.float32)
        yield x, np.sin(x.sum(axis=1))


def main():
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    ema, losses = Loop(mesh).run(source(128), jax.random.key(2), steps=150)
    print("first", losses[0], "last", losses[-1], "ema leaves", len(jax.tree.leaves(ema)))


if __name__ == "__main__":
    main()
