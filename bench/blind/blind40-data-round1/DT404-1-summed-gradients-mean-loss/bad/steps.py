import jax
import jax.numpy as jnp
import optax
from jax import lax

AXIS = "replica"


def sync(tree):
    return jax.tree_util.tree_map(lambda leaf: lax.psum(leaf, axis_name=AXIS), tree)


def make_train_step(apply_fn, tx):
    def train_step(params, opt_state, batch):
        def objective(p):
            logits = apply_fn(p, batch["tokens"])
            labels = batch["labels"]
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

        loss, grads = jax.value_and_grad(objective)(params)
        grads = sync(grads)
        updates, opt_state = tx.update(grads, opt_state, params)
        params = optax.apply_updates(params, updates)
        metrics = {"loss": lax.pmean(loss, AXIS), "grad_norm": optax.global_norm(grads)}
        return params, opt_state, metrics

    return jax.pmap(train_step, axis_name=AXIS, donate_argnums=(0, 1))
