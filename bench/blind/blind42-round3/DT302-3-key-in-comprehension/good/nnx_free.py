"""A residual MLP in plain JAX."""
import jax
import jax.numpy as jnp
import numpy as np
import optax


def residual_stack(key, depth, width):
    scale = (1 / width) ** 0.5
    keys = jax.random.split(key, depth)
    return [{"w": scale * jax.random.normal(k, (width, width)), "b": jnp.zeros(width)} for k in keys]


def apply(model, x):
    h = x @ model["in"]
    for layer in model["stack"]:
        h = h + jax.nn.gelu(h @ layer["w"] + layer["b"])
    return (h @ model["out"])[:, 0]


def build(seed, d=12, width=64, depth=6):
    k_in, k_stack, k_out = jax.random.split(jax.random.PRNGKey(seed), 3)
    return {
        "in": jax.random.normal(k_in, (d, width)) * 0.3,
        "stack": residual_stack(k_stack, depth, width),
        "out": jax.random.normal(k_out, (width, 1)) * 0.1,
    }


def main(steps=200):
    model = build(0)
    tx = optax.adamw(1e-3)
    state = tx.init(model)

    @jax.jit
    def step(model, state, x, y):
        loss, grads = jax.value_and_grad(lambda m: jnp.mean((apply(m, x) - y) ** 2))(model)
        updates, state = tx.update(grads, state, model)
        return optax.apply_updates(model, updates), state, loss

    rng = np.random.default_rng(1)
    for _ in range(steps):
        x = rng.normal(size=(128, 12)).astype(np.float32)
        model, state, loss = step(model, state, x, np.sin(x).sum(1))
    print(float(loss))


if __name__ == "__main__":
    main()
