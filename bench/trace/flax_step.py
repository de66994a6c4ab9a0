"""The training step of flax's ImageNet example, as it is, under pmap on made-up images.

    dtlint trace bench/trace/flax_step.py --ranks 4 --synthetic -- FLAX/examples/imagenet

The example reads its images through TensorFlow; its model, its step and its way of mapping are what is run here. With
`--synthetic`, modules that are not installed (TensorFlow, its data sets, absl, clu) are played by stand-ins.
"""

from __future__ import annotations

import functools
import importlib
import sys

import jax
import numpy as np
from flax import jax_utils

STEPS, PER_DEVICE, SIZE = 3, 2, 32


def main() -> None:
    sys.path.insert(0, sys.argv[1])
    train, models = importlib.import_module("train"), importlib.import_module("models")
    config = type("Config", (), {"half_precision": False, "momentum": 0.9, "num_epochs": 2, "warmup_epochs": 1})()
    schedule = train.create_learning_rate_fn(config, 0.1, STEPS)
    model = train.create_model(model_cls=models._ResNet1, half_precision=False)
    state = jax_utils.replicate(train.create_train_state(jax.random.key(0), config, model, SIZE, schedule))
    step = jax.pmap(functools.partial(train.train_step, learning_rate_fn=schedule), axis_name="batch")
    images = np.random.default_rng(0).random((jax.device_count(), PER_DEVICE, SIZE, SIZE, 3), np.float32)
    labels = np.arange(jax.device_count() * PER_DEVICE).reshape(jax.device_count(), PER_DEVICE)
    for number in range(STEPS):
        state, metrics = step(state, {"image": images, "label": labels})
        print(f"step {number} loss {float(metrics['loss'][0]):.3f}")


if __name__ == "__main__":
    main()
