"""A registry of models built by name with kwargs from JSON; init takes split keys by index; vmap over ensembles with axis_size."""
import json
import sys

import jax
import jax.numpy as jnp

MODELS = {}


def register(cls):
    MODELS[cls.__name__.lower()] = cls
    return cls


class Model:
    def __init__(self, **config):
        self.config = config

    def init(self, key):
        shapes = self.shapes()
        keys = jax.random.split(key, len(shapes))
        return {name: jax.random.normal(keys[i], shape) / shape[0] ** 0.5 for i, (name, shape) in enumerate(shapes.items())}

    def __call__(self, params, x, key=None):
        raise NotImplementedError


@register
class Linear(Model):
    def shapes(self):
        return {"w": (self.config["d"], 1)}

    def __call__(self, params, x, key=None):
        return x @ params["w"]


@register
class Mlp(Model):
    def shapes(self):
        d, h = self.config["d"], self.config.get("hidden", 8)
        return {"a": (d, h), "b": (h, h), "c": (h, 1)}

    def __call__(self, params, x, key=None):
        h = jax.nn.relu(x @ params["a"])
        if key is not None:
            k1, k2 = jax.random.split(key)
            h = h * jax.random.bernoulli(k1, 0.9, h.shape)
            h = jax.nn.relu(h @ params["b"]) * jax.random.bernoulli(k2, 0.9, h.shape)
        else:
            h = jax.nn.relu(h @ params["b"])
        return h @ params["c"]


def train(model, key, steps=20):
    init_key, data_key, drop_key = jax.random.split(key, 3)
    params = model.init(init_key)

    def step(params, i):
        x = jax.random.normal(jax.random.fold_in(data_key, i), (16, model.config["d"]))
        y = x.sum(1, keepdims=True)
        k = jax.random.fold_in(drop_key, i)
        loss, g = jax.value_and_grad(lambda p: jnp.mean((model(p, x, k) - y) ** 2))(params)
        return jax.tree.map(lambda p, g: p - 0.05 * g, params, g), loss

    params, losses = jax.lax.scan(step, params, jnp.arange(steps))
    return params, losses[-1]


def main(text):
    spec = json.loads(text)
    root = jax.random.key(spec.pop("seed", 0))
    for i, (name, config) in enumerate(sorted(spec.items())):
        model = MODELS[name](**config)
        keys = jax.random.split(jax.random.fold_in(root, i), 3)
        _, last = jax.jit(jax.vmap(lambda k: train(model, k)))(keys)
        print(name, last)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else '{"seed": 1, "linear": {"d": 4}, "mlp": {"d": 4, "hidden": 16}}')
