import jax
import jax.numpy as jnp
import numpy as np


def init(key):
    k1, k2 = jax.random.split(key)
    return {"a": 0.3 * jax.random.normal(k1, (4, 16)), "b": 0.3 * jax.random.normal(k2, (16,))}


def predict(params, x):
    return jnp.tanh(x @ params["a"]) @ params["b"]


def member_step(params, x, y):
    grads = jax.grad(lambda p: jnp.mean((predict(p, x) - y) ** 2))(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def ensemble_mean(params, x):
    return jax.lax.pmean(predict(params, x), "member")


def main(steps=50):
    n = jax.local_device_count()
    members = jax.pmap(init)(jax.random.split(jax.random.PRNGKey(0), n))
    step = jax.pmap(member_step, axis_name="member")
    mean = jax.pmap(ensemble_mean, axis_name="member", in_axes=(0, None))
    rngs = [np.random.default_rng(i) for i in range(n)]
    for _ in range(steps):
        x = np.stack([rng.normal(size=(32, 4)) for rng in rngs]).astype(np.float32)
        members = step(members, x, x[..., 0] * x[..., 1])
    test = np.random.default_rng(99).normal(size=(16, 4)).astype(np.float32)
    print(np.asarray(mean(members, test)[0]))


if __name__ == "__main__":
    main()
