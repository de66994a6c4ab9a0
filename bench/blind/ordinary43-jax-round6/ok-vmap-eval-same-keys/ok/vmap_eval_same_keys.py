"""The keys of the evaluation episodes are made once, handed through a vmapped rollout that returns them, and used in each epoch on purpose."""
import jax
import jax.numpy as jnp


def rollout(w, key):
    start, noise = jax.random.split(key)
    x = jax.random.normal(start, (2,))

    def body(x, k):
        x = x + w * x + 0.05 * jax.random.normal(k, x.shape)
        return x, jnp.sum(x**2)

    _, costs = jax.lax.scan(body, x, jax.random.split(noise, 10))
    return costs.mean()


def train_step(w, key):
    keys = jax.random.split(key, 16)
    loss, g = jax.value_and_grad(lambda w: jax.vmap(rollout, (None, 0))(w, keys).mean())(w)
    return w - 0.1 * g, loss


def main(epochs=5):
    train_key, eval_key = jax.random.split(jax.random.key(0))
    eval_keys = jax.random.split(eval_key, 32)
    w = jnp.float32(0.0)
    evaluate = jax.jit(jax.vmap(rollout, (None, 0)))
    step = jax.jit(train_step)
    for epoch in range(epochs):
        for k in jax.random.split(jax.random.fold_in(train_key, epoch), 4):
            w, loss = step(w, k)
        print(epoch, float(loss), float(evaluate(w, eval_keys).mean()))


if __name__ == "__main__":
    main()
