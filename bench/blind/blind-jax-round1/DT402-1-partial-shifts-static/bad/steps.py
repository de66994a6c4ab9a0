import jax
import jax.numpy as jnp
import optax


def apply(params, x):
    for w in params["hidden"]:
        x = jax.nn.relu(x @ w)
    return x @ params["out"]


def contrastive(a, b, temperature):
    a = a / (jnp.linalg.norm(a, axis=-1, keepdims=True) + 1e-6)
    b = b / (jnp.linalg.norm(b, axis=-1, keepdims=True) + 1e-6)
    logits = a @ b.T / temperature
    labels = jnp.arange(logits.shape[0])
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def train_step(tx, temperature, state, batch, mode):
    """One update; `mode` chooses the symmetric or the one-sided loss."""

    def loss_fn(params):
        a, b = apply(params, batch[0]), apply(params, batch[1])
        loss = contrastive(a, b, temperature)
        if mode == "symmetric":
            loss = 0.5 * (loss + contrastive(b, a, temperature))
        return loss

    params, opt_state = state
    loss, grads = jax.value_and_grad(loss_fn)(params)
    loss, grads = jax.lax.pmean((loss, grads), "batch")
    updates, opt_state = tx.update(grads, opt_state, params)
    return (optax.apply_updates(params, updates), opt_state), loss
