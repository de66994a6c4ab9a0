import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

tx = optax.adamw(1e-3)


def local_grads(params, x, y):
    def loss_fn(p):
        return jnp.mean((jax.nn.gelu(x @ p["w"]) @ p["v"] - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    return lax.pmean(loss, "data"), lax.pmean(grads, "data")


def main(steps=80, batch=128):
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    grad_fn = jax.shard_map(
        local_grads, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=(P(), P()), check_vma=False
    )
    a, b = jax.random.split(jax.random.key(1))
    params = {"w": jax.random.normal(a, (10, 32)) / 3, "v": jax.random.normal(b, (32,)) / 6}
    params = jax.device_put(params, whole)
    opt = tx.init(params)

    @jax.jit
    def step(params, opt, x, y):
        loss, grads = grad_fn(params, x, y)
        up, opt = tx.update(grads, opt, params)
        return optax.apply_updates(params, up), opt, loss

    rng = np.random.default_rng(0)
    for _ in range(steps):
        x = rng.normal(size=(batch, 10)).astype(np.float32)
        x, y = jax.device_put((x, x[:, 0] ** 2), rows)
        params, opt, loss = step(params, opt, x, y)
    print(float(loss))


if __name__ == "__main__":
    main()
