import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import mesh_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from rules import shardings


def init(key, vocab=32, dim=16):
    ks = jax.random.split(key, 4)
    return {
        "embed": jax.random.normal(ks[0], (vocab, dim)) * 0.1,
        "mlp": {"wi": jax.random.normal(ks[1], (dim, 4 * dim)) * 0.1, "wo": jax.random.normal(ks[2], (4 * dim, dim)) * 0.1},
        "attn": {"wq": jax.random.normal(ks[3], (dim, dim)) * 0.1},
    }


def forward(params, tokens):
    h = params["embed"][tokens]
    q = h @ params["attn"]["wq"]
    h = h + jax.nn.softmax(q @ jnp.swapaxes(h, 1, 2)) @ h
    h = h + jax.nn.gelu(h @ params["mlp"]["wi"]) @ params["mlp"]["wo"]
    return h @ params["embed"].T


def loss_fn(params, tokens):
    logits = forward(params, tokens[:, :-1])
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def build_mesh(tensor=2):
    devices = mesh_utils.create_device_mesh((jax.device_count() // tensor, tensor))
    return Mesh(devices, axis_names=("data", "tensor"))


def main(steps=10, batch=16):
    mesh = build_mesh()
    params = init(jax.random.key(0))
    layout = shardings(mesh, params)
    params = jax.device_put(params, layout)
    tx = optax.adamw(1e-3)
    opt_state = tx.init(params)
    rows = NamedSharding(mesh, P("data"))

    @jax.jit
    def step(params, opt_state, tokens):
        loss, grads = jax.value_and_grad(loss_fn)(params, tokens)
        grads = jax.lax.with_sharding_constraint(grads, layout)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng(0)
    for _ in range(steps):
        tokens = jax.device_put(rng.integers(0, 32, (batch, 9)), rows)
        params, opt_state, loss = step(params, opt_state, tokens)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
