import jax
import jax.numpy as jnp
import optax

from metrics import accuracy, cross_device


def forward(params, x):
    return jnp.tanh(x @ params["w1"]) @ params["w2"]


def loss_fn(params, x, y):
    logits = forward(params, x)
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean(), logits


def build_step(tx):
    def step(params, opt_state, x, y):
        (loss, logits), grads = jax.value_and_grad(loss_fn, has_aux=True)(params, x, y)
        grads = cross_device(grads)
        updates, opt_state = tx.update(grads, opt_state, params)
        stats = cross_device({"loss": loss, "acc": accuracy(logits, y)})
        return optax.apply_updates(params, updates), opt_state, stats

    return jax.pmap(step, axis_name="batch", in_axes=(None, None, 0, 0), out_axes=None)
