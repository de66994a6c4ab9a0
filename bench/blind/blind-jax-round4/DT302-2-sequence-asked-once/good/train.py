import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from model import predict

net = hk.transform(predict)
tx = optax.adam(2e-3)


@jax.jit
def update(params, opt_state, rng, x, y):
    def loss_fn(p):
        return jnp.mean(optax.huber_loss(net.apply(p, rng, x, True), y))

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main(steps=15):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    keys = hk.PRNGSequence(11)
    params = net.init(next(keys), jnp.zeros((1, 6)), True)
    params, opt_state = jax.device_put((params, tx.init(params)), NamedSharding(mesh, P()))
    data = np.random.default_rng(0)
    for _ in range(steps):
        x = data.normal(size=(32, 6)).astype(np.float32)
        x, y = jax.device_put((x, x.sum(-1)), rows)
        params, opt_state, loss = update(params, opt_state, next(keys), x, y)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
