"""optax.multi_transform, MultiSteps accumulation under jit with shardings, gradient noise transform with its own key."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def noisy_sgd(lr, seed):
    return optax.chain(optax.add_noise(0.01, 0.55, seed), optax.sgd(lr))


def label(params):
    return {k: "noisy" if k.startswith("emb") else "adam" for k in params}


def make_tx():
    inner = optax.multi_transform({"noisy": noisy_sgd(0.1, 3), "adam": optax.adam(1e-2)}, label)
    return optax.MultiSteps(inner, every_k_schedule=2)


def main():
    mesh = Mesh(np.array(jax.devices()), ("data",))
    batch_sharding = NamedSharding(mesh, P("data"))
    rep = NamedSharding(mesh, P())
    e_key, w_key = jax.random.split(jax.random.PRNGKey(0))
    params = {"emb": jax.random.normal(e_key, (10, 4)) * 0.1, "w": jax.random.normal(w_key, (4, 1)) * 0.1}
    tx = make_tx()
    params = jax.device_put(params, rep)
    state = tx.init(params)

    @jax.jit
    def step(params, state, tok, y):
        def loss_fn(p):
            return jnp.mean((p["emb"][tok].mean(1) @ p["w"] - y) ** 2)

        loss, g = jax.value_and_grad(loss_fn)(params)
        upd, state = tx.update(g, state, params)
        return optax.apply_updates(params, upd), state, loss

    rng = np.random.default_rng(jax.process_index())
    per_host = 8 * jax.local_device_count()
    for i in range(6):
        tok = rng.integers(0, 10, (per_host, 5))
        y = tok.mean(1, keepdims=True).astype(np.float32)
        tok, y = (jax.make_array_from_process_local_data(batch_sharding, a) for a in (tok, y))
        params, state, loss = step(params, state, tok, y)
    print(float(loss), int(state.gradient_step))


if __name__ == "__main__":
    main()
