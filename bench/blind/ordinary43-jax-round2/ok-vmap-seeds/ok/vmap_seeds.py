"""Many seeds in one jit: keys from vmapped key(), shared evaluation key on purpose."""
import jax
import jax.numpy as jnp


def train_one(key, lr):
    init_key, data_key = jax.random.split(key)
    w = jax.random.normal(init_key, (4,))

    def step(w, k):
        x = jax.random.normal(k, (8, 4))
        loss, g = jax.value_and_grad(lambda w: jnp.mean((x @ w - x.sum(1)) ** 2))(w)
        return w - lr * g, loss

    return jax.lax.scan(step, w, jax.random.split(data_key, 100))


def evaluate(w, key):
    x = jax.random.normal(key, (64, 4))
    return jnp.mean((x @ w - x.sum(1)) ** 2)


def sweep(seeds, lrs):
    keys = jax.vmap(jax.random.key)(seeds)
    ws, losses = jax.vmap(jax.vmap(train_one, in_axes=(0, None)), in_axes=(None, 0))(keys, lrs)
    eval_key = jax.random.key(12345)
    scores = jax.vmap(jax.vmap(evaluate, in_axes=(0, None)), in_axes=(0, None))(ws, eval_key)
    return scores, losses[..., -1]


if __name__ == "__main__":
    scores, last = jax.jit(sweep)(jnp.arange(5), jnp.array([0.01, 0.05]))
    print(scores.shape, scores.mean(1), last.mean())
