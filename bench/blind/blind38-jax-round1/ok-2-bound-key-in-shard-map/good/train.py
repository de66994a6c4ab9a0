import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

from noise import corrupt, device_key

MESH = jax.make_mesh((jax.device_count() // 2, 2), ("data", "seq"))
SPEC = P("data", "seq")


def init(key, dim=16, width=64):
    k1, k2 = jax.random.split(key)
    return {"in": jax.random.normal(k1, (dim, width)) / dim**0.5, "out": jax.random.normal(k2, (width, dim)) / width**0.5}


def denoise_loss(params, x, key):
    noisy, mask = corrupt(device_key(key, "data", "seq"), x, 0.15)
    guess = jax.nn.gelu(noisy @ params["in"]) @ params["out"]
    total = lax.psum(jnp.sum(mask * (guess - x) ** 2), ("data", "seq"))
    count = lax.psum(jnp.sum(mask), ("data", "seq"))
    return total / count


sharded_loss = jax.shard_map(denoise_loss, mesh=MESH, in_specs=(P(), SPEC, P()), out_specs=P())
TX = optax.adam(1e-3)


@jax.jit
def step(params, opt_state, x, key):
    loss, grads = jax.value_and_grad(sharded_loss)(params, x, key)
    updates, opt_state = TX.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def main(steps=40):
    root = jax.random.key(0)
    whole = NamedSharding(MESH, P())
    params = jax.device_put(init(jax.random.fold_in(root, 0)), whole)
    opt_state = jax.device_put(TX.init(params), whole)
    noise_key = jax.random.fold_in(root, 1)
    rng = np.random.default_rng(0)
    for i in range(steps):
        x = jax.device_put(rng.normal(size=(16, 8, 16)).astype(np.float32), NamedSharding(MESH, SPEC))
        params, opt_state, loss = step(params, opt_state, x, jax.random.fold_in(noise_key, i))
        if i % 10 == 0:
            print(i, float(loss))


if __name__ == "__main__":
    main()
