"""equinox: keys given to constructors, batch vmap over per-sample keys."""
import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import optax


class Attention(eqx.Module):
    q: eqx.nn.Linear
    k: eqx.nn.Linear
    v: eqx.nn.Linear
    drop: eqx.nn.Dropout

    def __init__(self, dim, *, key):
        qk, kk, vk = jr.split(key, 3)
        self.q = eqx.nn.Linear(dim, dim, key=qk)
        self.k = eqx.nn.Linear(dim, dim, key=kk)
        self.v = eqx.nn.Linear(dim, dim, key=vk)
        self.drop = eqx.nn.Dropout(0.1)

    def __call__(self, x, *, key=None, inference=False):
        q, k, v = jax.vmap(self.q)(x), jax.vmap(self.k)(x), jax.vmap(self.v)(x)
        w = jax.nn.softmax(q @ k.T / jnp.sqrt(q.shape[-1]))
        return self.drop(w, key=key, inference=inference) @ v


class Model(eqx.Module):
    layers: list
    head: eqx.nn.Linear

    def __init__(self, dim, depth, *, key):
        key, head_key = jr.split(key)
        self.layers = [Attention(dim, key=k) for k in jr.split(key, depth)]
        self.head = eqx.nn.Linear(dim, 1, key=head_key)

    def __call__(self, x, *, key=None, inference=False):
        keys = [None] * len(self.layers) if key is None else jr.split(key, len(self.layers))
        for layer, k in zip(self.layers, keys):
            x = x + layer(x, key=k, inference=inference)
        return self.head(x.mean(0))


@eqx.filter_value_and_grad
def compute_loss(model, x, y, key):
    keys = jr.split(key, x.shape[0])
    pred = jax.vmap(lambda xi, ki: model(xi, key=ki))(x, keys)
    return jnp.mean((pred - y) ** 2)


@eqx.filter_jit
def make_step(model, opt_state, optim, x, y, key):
    loss, grads = compute_loss(model, x, y, key)
    updates, opt_state = optim.update(grads, opt_state, eqx.filter(model, eqx.is_array))
    return eqx.apply_updates(model, updates), opt_state, loss


def dataloader(arrays, batch_size, *, key):
    size = arrays[0].shape[0]
    indices = jnp.arange(size)
    while True:
        key, sub = jr.split(key)
        perm = jr.permutation(sub, indices)
        for start in range(0, size - batch_size + 1, batch_size):
            yield tuple(a[perm[start : start + batch_size]] for a in arrays)


def main(steps=20, seed=5678):
    data_key, loader_key, model_key, step_key = jr.split(jr.PRNGKey(seed), 4)
    x = jr.normal(data_key, (128, 6, 8))
    y = x.mean((1, 2))[:, None]
    model = Model(8, 2, key=model_key)
    optim = optax.adam(1e-3)
    opt_state = optim.init(eqx.filter(model, eqx.is_inexact_array))
    for step, (xb, yb) in zip(range(steps), dataloader((x, y), 32, key=loader_key)):
        model, opt_state, loss = make_step(model, opt_state, optim, xb, yb, step_key)
    eqx.tree_serialise_leaves("/tmp/model.eqx", model)
    print(loss)


if __name__ == "__main__":
    main()
