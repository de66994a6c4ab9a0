import jax
import optax


def scaled_rate(base, per_device, reference=256):
    """The linear scaling rule: the rate grows with the global batch."""
    global_batch = per_device * jax.local_device_count()
    return base * global_batch / reference


def make_optimizer(base, per_device, warmup, steps):
    peak = scaled_rate(base, per_device)
    return optax.adamw(optax.warmup_cosine_decay_schedule(0.0, peak, warmup, steps))
