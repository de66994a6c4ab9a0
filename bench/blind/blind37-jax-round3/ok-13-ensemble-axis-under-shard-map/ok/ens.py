"""One network per device: each shard trains its own member, which is the point of an ensemble."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

tx = optax.adam(1e-3)


def init(key):
    kw, kv = jax.random.split(key)
    return {"w": jax.random.normal(kw, (5, 32)) / 2, "v": jax.random.normal(kv, (32,)) / 6}


def member_step(params, opt_state, x, y):
    def loss_fn(p):
        return jnp.mean((jnp.tanh(x @ p["w"]) @ p["v"] - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main(steps=300):
    mesh = Mesh(np.asarray(jax.devices()), ("member",))
    n = mesh.shape["member"]
    by_member = NamedSharding(mesh, P("member"))
    params = jax.device_put(jax.vmap(init)(jax.random.split(jax.random.key(0), n)), by_member)
    opt_state = jax.device_put(jax.vmap(tx.init)(params), by_member)
    step = jax.jit(
        jax.shard_map(
            jax.vmap(member_step, in_axes=(0, 0, None, None)),
            mesh=mesh,
            in_specs=(P("member"), P("member"), P(), P()),
            out_specs=(P("member"), P("member"), P("member")),
        )
    )
    draw = np.random.default_rng(0)
    for _ in range(steps):
        x = draw.normal(size=(256, 5)).astype(np.float32)
        params, opt_state, losses = step(params, opt_state, x, x.prod(-1))
    print(np.asarray(losses))


if __name__ == "__main__":
    main()
