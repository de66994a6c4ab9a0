import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import tyro
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from resmlp import ResMLP


@dataclasses.dataclass
class Args:
    seed: int = 0
    batch: int = 256
    steps: int = 500
    lr: float = 3e-4


def loss_fn(model, x, y, key):
    keys = jax.random.split(key, x.shape[0])
    pred = jax.vmap(lambda row, k: model(row, key=k))(x, keys)
    return jnp.mean(optax.huber_loss(pred, y))


def main(args: Args):
    rows = NamedSharding(Mesh(np.asarray(jax.devices()), ("dp",)), P("dp"))
    model_key, train_key = jax.random.split(jax.random.key(args.seed))
    model = ResMLP(10, 64, 4, key=model_key)
    tx = optax.adam(args.lr)
    opt_state = tx.init(eqx.filter(model, eqx.is_array))

    @eqx.filter_jit
    def step(model, opt_state, x, y, key):
        loss, grads = eqx.filter_value_and_grad(loss_fn)(model, x, y, key)
        updates, opt_state = tx.update(grads, opt_state)
        return eqx.apply_updates(model, updates), opt_state, loss

    draw = np.random.default_rng(args.seed)
    for i in range(args.steps):
        x = draw.normal(size=(args.batch, 10)).astype(np.float32)
        x, y = jax.device_put((x, x[:, 0] * x[:, 1]), rows)
        model, opt_state, loss = step(model, opt_state, x, y, jax.random.fold_in(train_key, i))
        if i % 100 == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main(tyro.cli(Args))
