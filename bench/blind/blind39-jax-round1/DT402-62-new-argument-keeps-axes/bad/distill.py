"""Knowledge distillation: a replicated student learns from a frozen teacher."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils


def mlp(params, x):
    return jnp.tanh(x @ params["a"]) @ params["b"]


def new_mlp(key, dim, hidden, classes):
    k_a, k_b = jax.random.split(key)
    return {"a": jax.random.normal(k_a, (dim, hidden)) / dim**0.5, "b": jax.random.normal(k_b, (hidden, classes)) / hidden**0.5}


class Distiller:
    def __init__(self, teacher, student, learning_rate):
        self.tx = optax.sgd(learning_rate, momentum=0.9)
        self.teacher = teacher
        self.opt_state = jax_utils.replicate(self.tx.init(student))
        self.student = jax_utils.replicate(student)
        self._step = jax.pmap(
            self._update,
            axis_name="rows",
            in_axes=(0, 0, None, 0),
            donate_argnums=(0, 1),
        )

    def _update(self, student, opt_state, teacher, temperature, x):
        target = jax.nn.softmax(mlp(teacher, x) / temperature)

        def loss_fn(params):
            logp = jax.nn.log_softmax(mlp(params, x) / temperature)
            return -jnp.mean(jnp.sum(target * logp, -1)) * temperature**2

        loss, grads = jax.value_and_grad(loss_fn)(student)
        loss, grads = jax.lax.pmean((loss, grads), "rows")
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(student, updates), opt_state, loss

    def fit(self, batches, schedule):
        history = []
        for step, x in enumerate(batches):
            self.student, self.opt_state, loss = self._step(self.student, self.opt_state, self.teacher, schedule(step), x)
            history.append(loss)
        return [float(value[0]) for value in history]


def main(steps=100, per_device=64, dim=32):
    teacher_key, student_key = jax.random.split(jax.random.key(12))
    distiller = Distiller(new_mlp(teacher_key, dim, 256, 10), new_mlp(student_key, dim, 24, 10), 0.05)
    rng = np.random.default_rng(1)
    n = jax.local_device_count()
    batches = (rng.normal(size=(n, per_device, dim)).astype(np.float32) for _ in range(steps))
    losses = distiller.fit(batches, schedule=lambda step: 1.0 + 3.0 * 0.98**step)
    print(losses[0], losses[-1])


if __name__ == "__main__":
    main()
