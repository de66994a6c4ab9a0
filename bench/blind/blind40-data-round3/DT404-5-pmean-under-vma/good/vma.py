import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

RATE = 0.02


def local_loss(params, x, y):
    hidden = jnp.tanh(x @ params["w"] + params["b"])
    return jnp.mean((hidden @ params["v"] - y) ** 2)


def make_step(mesh):
    size = mesh.devices.size

    def step(params, x, y):
        loss, grads = jax.value_and_grad(local_loss)(params, x, y)
        grads = jax.tree.map(lambda g: g / size, grads)
        loss = lax.pmean(loss, "x")
        return jax.tree.map(lambda p, g: p - RATE * g, params, grads), loss

    return jax.jit(jax.shard_map(step, mesh=mesh, in_specs=(P(), P("x"), P("x")), out_specs=(P(), P())))


def main(steps=200, batch=64):
    mesh = Mesh(np.asarray(jax.devices()), ("x",))
    step = make_step(mesh)
    k1, k2 = jax.random.split(jax.random.key(2))
    params = {
        "w": jax.random.normal(k1, (5, 32)) / 2,
        "b": jnp.zeros(32),
        "v": jax.random.normal(k2, (32,)) / 6,
    }
    rows = NamedSharding(mesh, P("x"))
    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(batch, 5)).astype(np.float32)
        params, loss = step(params, *jax.device_put((x, x[:, 0] * x[:, 1]), rows))
    print(float(loss))


if __name__ == "__main__":
    main()
