import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

from epochs import shuffled_epochs


def init(key, features, classes):
    return {"w": 0.01 * jax.random.normal(key, (features, classes)), "b": jnp.zeros(classes)}


def loss_fn(params, batch):
    logits = batch["x"] @ params["w"] + params["b"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    rng = np.random.default_rng(args.seed)
    x = rng.normal(size=(8192, 40)).astype(np.float32)
    arrays = {"x": x, "y": x[:, :5].argmax(-1)}
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    rows = NamedSharding(mesh, P("data"))
    init_key, data_key = jax.random.split(jax.random.key(args.seed))
    params = jax.device_put(init(init_key, 40, 5), NamedSharding(mesh, P()))
    tx = optax.sgd(0.5)
    opt_state = tx.init(params)

    @jax.jit
    def update(params, opt_state, batch):
        loss, grads = jax.value_and_grad(loss_fn)(params, batch)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    seen = -1
    for epoch, batch in shuffled_epochs(data_key, arrays, args.batch_size, args.epochs):
        params, opt_state, loss = update(params, opt_state, jax.device_put(batch, rows))
        if epoch != seen:
            print(epoch, float(loss))
            seen = epoch


if __name__ == "__main__":
    main()
