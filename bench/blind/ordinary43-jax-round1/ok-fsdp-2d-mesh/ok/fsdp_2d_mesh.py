"""2D mesh (data, model): partition rules by path regex, jit in_shardings, donated state."""
import re

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as PS

RULES = [
    (r"embed", PS("model", None)),
    (r"mlp/up", PS(None, "model")),
    (r"mlp/down", PS("model", None)),
    (r".*", PS()),
]


def spec_for(path):
    name = "/".join(str(getattr(p, "key", p)) for p in path)
    for pattern, spec in RULES:
        if re.search(pattern, name):
            return spec
    raise KeyError(name)


def make_mesh(model_parallel):
    devices = np.asarray(jax.devices()).reshape(-1, model_parallel)
    return Mesh(devices, axis_names=("data", "model"))


def init_params(key):
    e, u, d = jax.random.split(key, 3)
    return {
        "embed": jax.random.normal(e, (64, 16)) * 0.02,
        "mlp": {"up": jax.random.normal(u, (16, 32)) * 0.1, "down": jax.random.normal(d, (32, 16)) * 0.1},
    }


def apply(params, tokens):
    h = params["embed"][tokens]
    h = jax.lax.with_sharding_constraint(h, PS("data", None, None))
    h = h + jax.nn.gelu(h @ params["mlp"]["up"]) @ params["mlp"]["down"]
    return h @ params["embed"].T


def main():
    mesh = make_mesh(2 if jax.device_count() % 2 == 0 else 1)
    tx = optax.adamw(1e-3)

    def init(key):
        params = init_params(key)
        return params, tx.init(params)

    shapes = jax.eval_shape(init, jax.random.key(0))
    shardings = jax.tree_util.tree_map_with_path(lambda p, _: NamedSharding(mesh, spec_for(p)), shapes)
    batch_sharding = NamedSharding(mesh, PS("data", None))
    scalar = NamedSharding(mesh, PS())

    def step(params, opt, tokens):
        def loss_fn(params):
            logits = apply(params, tokens[:, :-1])
            return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt = tx.update(grads, opt, params)
        return optax.apply_updates(params, updates), opt, loss

    with mesh:
        params, opt = jax.jit(init, out_shardings=shardings)(jax.random.key(0))
        jit_step = jax.jit(
            step,
            in_shardings=(*shardings, batch_sharding),
            out_shardings=(*shardings, scalar),
            donate_argnums=(0, 1),
        )
        rng = np.random.default_rng(0)
        for _ in range(5):
            tokens = jax.device_put(rng.integers(0, 64, (8, 17)), batch_sharding)
            params, opt, loss = jit_step(params, opt, tokens)
    print(float(loss))


if __name__ == "__main__":
    main()
