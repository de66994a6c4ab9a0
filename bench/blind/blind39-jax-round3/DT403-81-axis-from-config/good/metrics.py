import jax
import jax.numpy as jnp


class Metrics:
    def __init__(self, cfg):
        self.axis = cfg.axis

    def classification(self, logits, labels):
        hit = (jnp.argmax(logits, -1) == labels).mean()
        top = jax.nn.softmax(logits).max(-1).mean()
        return jax.lax.pmean({"accuracy": hit, "confidence": top}, self.axis)
