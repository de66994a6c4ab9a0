import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import data


def main(epochs=3):
    rows = NamedSharding(Mesh(np.asarray(jax.devices()), ("data",)), P("data"))
    tx = optax.sgd(0.1)
    w = jnp.zeros((127,))
    opt_state = tx.init(w)

    @jax.jit
    def step(w, opt_state, x):
        loss, grad = jax.value_and_grad(lambda w: jnp.mean((x[:, :-1] @ w - x[:, -1]) ** 2))(w)
        updates, opt_state = tx.update(grad, opt_state)
        return optax.apply_updates(w, updates), opt_state, loss

    for epoch in range(epochs):
        for batch in data.loader("series.npy", 64, 4):
            w, opt_state, loss = step(w, opt_state, jax.device_put(batch, rows))
        print(epoch, float(loss))


if __name__ == "__main__":
    main()
