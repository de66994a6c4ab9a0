import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils

tx = optax.adam(3e-3)


def per_example(params, x, y):
    logits = jax.nn.relu(x @ params["a"]) @ params["b"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y)


def evaluate(params, x, y):
    losses = per_example(params, x, y)
    return jnp.mean(jax.lax.pmean(losses, "e"))


def train(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(lambda p: per_example(p, x, y).mean())(params)
    grads = jax.lax.pmean(grads, "e")
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


def main(steps=100):
    ka, kb = jax.random.split(jax.random.PRNGKey(0))
    params = {"a": jax.random.normal(ka, (10, 64)) / 3, "b": jax.random.normal(kb, (64, 5)) / 8}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    p_train = jax.pmap(train, axis_name="e", donate_argnums=(0, 1))
    p_eval = jax.pmap(evaluate, axis_name="e")
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    for i in range(steps):
        x = rng.normal(size=(n, 16, 10)).astype(np.float32)
        y = x[..., :5].argmax(-1)
        params, opt_state = p_train(params, opt_state, x, y)
        if i % 20 == 0:
            print(i, float(p_eval(params, x, y)[0]))


if __name__ == "__main__":
    main()
