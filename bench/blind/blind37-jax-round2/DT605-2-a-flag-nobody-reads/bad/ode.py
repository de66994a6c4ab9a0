import sys

import runtime

runtime.prepare(debug="--debug" in sys.argv)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402


def field(params, x):
    return jnp.tanh(x @ params["a"]) @ params["b"]


def integrate(params, x, steps=20, dt=0.05):
    def rk2(x, _):
        half = x + 0.5 * dt * field(params, x)
        return x + dt * field(params, half), None

    return jax.lax.scan(rk2, x, None, length=steps)[0]


def main(iterations=300):
    rows = NamedSharding(Mesh(np.asarray(jax.devices()), ("batch",)), P("batch"))
    ka, kb = jax.random.split(jax.random.key(1))
    params = {"a": jax.random.normal(ka, (2, 32)), "b": jax.random.normal(kb, (32, 2)) / 32}
    tx = optax.adam(1e-2)
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((integrate(p, x) - y) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    draw = np.random.default_rng(0)
    turn = np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]], np.float32)
    for i in range(iterations):
        x = draw.normal(size=(128, 2)).astype(np.float32)
        x, y = jax.device_put((x, x @ turn), rows)
        params, opt_state, loss = step(params, opt_state, x, y)
    print(float(loss))


if __name__ == "__main__":
    main()
