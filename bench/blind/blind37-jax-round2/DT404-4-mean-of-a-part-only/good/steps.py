import jax
import jax.numpy as jnp
import optax
from jax import lax


class TwoHeads:
    """One trunk, a classification and a regression head with an optimizer of their own."""

    def __init__(self, axis):
        self.axis = axis
        self.trunk_tx = optax.adamw(3e-4)
        self.heads_tx = optax.sgd(0.02)

    def init(self, key):
        kt, kc, kr = jax.random.split(key, 3)
        params = {
            "trunk": jax.random.normal(kt, (32, 64)) / 6,
            "heads": {"cls": jax.random.normal(kc, (64, 5)) / 8, "reg": jax.random.normal(kr, (64, 1)) / 8},
        }
        opt = {"trunk": self.trunk_tx.init(params["trunk"]), "heads": self.heads_tx.init(params["heads"])}
        return params, opt

    def loss(self, params, batch):
        hidden = jnp.tanh(batch["x"] @ params["trunk"])
        nll = optax.softmax_cross_entropy_with_integer_labels(hidden @ params["heads"]["cls"], batch["label"])
        error = (hidden @ params["heads"]["reg"])[:, 0] - batch["score"]
        return nll.mean() + 0.1 * jnp.square(error).mean()

    def __call__(self, params, opt, batch):
        value, grads = jax.value_and_grad(self.loss)(params, batch)
        trunk_grads = lax.pmean(grads["trunk"], self.axis)
        head_grads = lax.pmean(grads["heads"], self.axis)
        trunk_updates, trunk_opt = self.trunk_tx.update(trunk_grads, opt["trunk"], params["trunk"])
        head_updates, heads_opt = self.heads_tx.update(head_grads, opt["heads"])
        params = {
            "trunk": optax.apply_updates(params["trunk"], trunk_updates),
            "heads": optax.apply_updates(params["heads"], head_updates),
        }
        return params, {"trunk": trunk_opt, "heads": heads_opt}, lax.pmean(value, self.axis)
