import jax
import jax.numpy as jnp
import optax

tx = optax.scale_by_adam()


def logits_of(params, images):
    flat = images.reshape(images.shape[0], -1)
    return jax.nn.relu(flat @ params["hidden"]) @ params["out"]


def sgd_step(params, opt_state, batch, lr):
    def loss_fn(p):
        labels = jax.nn.one_hot(batch["label"], 3)
        return optax.softmax_cross_entropy(logits_of(p, batch["image"]), labels).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    grads = jax.lax.pmean(grads, "workers")
    updates, opt_state = tx.update(grads, opt_state)
    params = jax.tree_util.tree_map(lambda p, u: p - lr * u, params, updates)
    return params, opt_state, jax.lax.pmean(loss, "workers")
