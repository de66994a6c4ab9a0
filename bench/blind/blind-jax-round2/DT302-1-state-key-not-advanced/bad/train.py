import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from state import Learner, Mlp

tx = optax.adam(1e-3)


def new_learner(seed):
    model_key, key = jax.random.split(jax.random.key(seed))
    model = Mlp(model_key)
    return Learner(model, tx.init(eqx.filter(model, eqx.is_inexact_array)), key, jnp.zeros((), jnp.int32))


@eqx.filter_value_and_grad
def loss_fn(model, x, y, key):
    keys = jax.random.split(key, x.shape[0])
    return jnp.mean((jax.vmap(model)(x, keys) - y) ** 2)


@eqx.filter_jit
def train_step(learner, x, y):
    key, drop_key = jax.random.split(learner.key)
    loss, grads = loss_fn(learner.model, x, y, drop_key)
    updates, opt_state = tx.update(grads, learner.opt_state)
    model = eqx.apply_updates(learner.model, updates)
    return Learner(model, opt_state, learner.key, learner.step + 1), loss


def main(steps=25, batch=64):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    learner = eqx.filter_shard(new_learner(0), NamedSharding(mesh, P()))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(batch, 10)).astype(np.float32)
        x, y = jax.device_put((x, x.mean(-1)), rows)
        learner, loss = train_step(learner, x, y)
    print("loss", float(loss), "after", int(learner.step))


if __name__ == "__main__":
    main()
