import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

from model import forward


def main(steps=20, vocab=256, width=32):
    mesh = jax.make_mesh((2, 2), ("dp", "mp"), axis_types=(AxisType.Auto, AxisType.Auto))
    a, b, c = jax.random.split(jax.random.key(0), 3)
    specs = {"emb": P(), "up": P(None, "mp"), "down": P("mp", None)}
    params = {
        "emb": jax.random.normal(a, (vocab, width)) * 0.1,
        "up": jax.random.normal(b, (width, 4 * width)) * 0.1,
        "down": jax.random.normal(c, (4 * width, vocab)) * 0.1,
    }
    params = {k: jax.device_put(v, NamedSharding(mesh, specs[k])) for k, v in params.items()}
    tx = optax.adamw(1e-3)
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, tokens):
        def loss_fn(p):
            logits = forward(p, tokens[:, :-1], mesh)
            return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng(0)
    for _ in range(steps):
        tokens = jax.device_put(rng.integers(0, vocab, (8, 17)), NamedSharding(mesh, P("dp")))
        params, opt_state, loss = step(params, opt_state, tokens)
    print(float(loss))


if __name__ == "__main__":
    main()
