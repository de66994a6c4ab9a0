"""Distillation of a frozen teacher into a smaller student."""
import argparse

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from flax.training import common_utils, train_state


class Tower(nn.Module):
    width: int
    depth: int

    @nn.compact
    def __call__(self, x):
        for _ in range(self.depth):
            x = nn.gelu(nn.Dense(self.width)(x))
        return nn.Dense(100)(x)


class Distiller:
    def __init__(self, student, teacher, temperature, learning_rate, key):
        k_student, k_teacher = jax.random.split(key)
        sample = jnp.zeros((1, 64))
        self.teacher_apply = teacher.apply
        self.temperature = temperature
        state = train_state.TrainState.create(
            apply_fn=student.apply,
            params=student.init(k_student, sample)["params"],
            tx=optax.adamw(learning_rate),
        )
        self.state = jax_utils.replicate(state)
        self.teacher_params = jax_utils.replicate(teacher.init(k_teacher, sample)["params"])
        self.update = jax.pmap(
            self._update,
            axis_name="devices",
            static_broadcasted_argnums=(0,),
        )

    def _update(self, state, teacher_params, x, hard):
        soft = nn.softmax(self.teacher_apply({"params": teacher_params}, x) / self.temperature)

        def loss_fn(params):
            logits = state.apply_fn({"params": params}, x)
            loss = optax.softmax_cross_entropy(logits / self.temperature, soft).mean()
            if hard:
                loss = loss + 0.1 * optax.softmax_cross_entropy(logits, nn.one_hot(soft.argmax(-1), 100)).mean()
            return loss

        loss, grads = jax.value_and_grad(loss_fn)(state.params)
        grads = jax.lax.pmean(grads, "devices")
        return state.apply_gradients(grads=grads), jax.lax.pmean(loss, "devices")

    def fit(self, stream, steps, warmup):
        for step in range(steps):
            batch = common_utils.shard(next(stream))
            self.state, loss = self.update(self.state, self.teacher_params, batch, step >= warmup)
            if step % 20 == 0:
                print(step, float(loss[0]))
        return jax_utils.unreplicate(self.state)


def inputs(batch, seed):
    rng = np.random.default_rng(seed)
    while True:
        yield rng.standard_normal((batch, 64)).astype(np.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--temperature", type=float, default=2.0)
    args = parser.parse_args()
    distiller = Distiller(Tower(64, 2), Tower(256, 4), args.temperature, 1e-3, jax.random.key(0))
    distiller.fit(inputs(args.batch, 1), args.steps, warmup=10)


if __name__ == "__main__":
    main()
