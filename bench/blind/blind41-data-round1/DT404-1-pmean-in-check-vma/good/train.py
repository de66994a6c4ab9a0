import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

tx = optax.sgd(0.05)


def init(key):
    a, b = jax.random.split(key)
    return {"a": jax.random.normal(a, (6, 32)) * 0.3, "b": jax.random.normal(b, (32,)) * 0.2}


def local_loss(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["a"]) @ params["b"] - y) ** 2)


def make_step(mesh):
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(lambda p: lax.pmean(local_loss(p, x, y), "dp"))(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    return jax.jit(
        jax.shard_map(step, mesh=mesh, in_specs=(P(), P(), P("dp"), P("dp")), out_specs=(P(), P(), P()))
    )


def main(steps=200, batch=128):
    mesh = Mesh(np.asarray(jax.devices()), ("dp",))
    rows = NamedSharding(mesh, P("dp"))
    params = init(jax.random.key(0))
    opt_state = tx.init(params)
    step = make_step(mesh)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(batch, 6)).astype(np.float32)
        x, y = jax.device_put((x, x[:, 0] * x[:, 1]), rows)
        params, opt_state, loss = step(params, opt_state, x, y)
    print(float(loss))


if __name__ == "__main__":
    main()
