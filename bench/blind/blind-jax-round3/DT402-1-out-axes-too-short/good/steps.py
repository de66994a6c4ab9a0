import functools

import jax
import jax.numpy as jnp
import optax


def build(apply_fn, tx, axis="n"):
    @functools.partial(jax.pmap, axis_name=axis, in_axes=(None, None, 0), out_axes=(None, None, None))
    def step(params, opt_state, batch):
        def loss_fn(p):
            logits = apply_fn(p, batch["x"])
            loss = optax.sigmoid_binary_cross_entropy(logits, batch["y"]).mean()
            return loss, jnp.mean((logits > 0) == (batch["y"] > 0.5))

        (loss, accuracy), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
        grads = jax.lax.pmean(grads, axis)
        updates, opt_state = tx.update(grads, opt_state, params)
        metrics = jax.lax.pmean({"loss": loss, "accuracy": accuracy}, axis)
        return optax.apply_updates(params, updates), opt_state, metrics

    return step
