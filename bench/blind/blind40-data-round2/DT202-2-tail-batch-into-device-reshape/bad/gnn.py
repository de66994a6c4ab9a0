"""Graph-level property regression with haiku-style pure functions under pmap."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax

BATCH = 96
EPOCHS = 4


def molecules(count, seed=0):
    rng = np.random.default_rng(seed)
    nodes = rng.normal(size=(count, 12, 8)).astype(np.float32)
    edges = (rng.random((count, 12, 12)) < 0.3).astype(np.float32)
    return nodes, edges, nodes.sum(axis=(1, 2))


def message_pass(params, nodes, edges):
    for w_self, w_other in params["layers"]:
        nodes = jax.nn.relu(nodes @ w_self + edges @ nodes @ w_other)
    return nodes.mean(axis=1) @ params["readout"]


def init(key, width=8, depth=2):
    keys = jax.random.split(key, 2 * depth + 1)
    weights = [jax.random.normal(k, (width, width)) / width**0.5 for k in keys[:-1]]
    return {"layers": list(zip(weights[::2], weights[1::2])), "readout": jax.random.normal(keys[-1], (width,))}


@functools.partial(jax.pmap, axis_name="dev", in_axes=(None, None, 0, 0, 0), out_axes=None)
def step(params, opt_state, nodes, edges, target):
    def loss_fn(p):
        return jnp.mean(optax.huber_loss(message_pass(p, nodes, edges), target))

    grads = jax.lax.pmean(jax.grad(loss_fn)(params), "dev")
    updates, opt_state = TX.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


TX = optax.adam(optax.exponential_decay(1e-2, 100, 0.9))


def minibatches(arrays, epoch):
    order = np.random.default_rng([17, epoch]).permutation(len(arrays[0]))
    for start in range(0, len(order), BATCH):
        take = order[start : start + BATCH]
        yield tuple(a[take] for a in arrays)


def spread(arrays):
    n = jax.local_device_count()
    return tuple(a.reshape(n, -1, *a.shape[1:]) for a in arrays)


def main():
    data = molecules(5003)
    params = init(jax.random.key(0))
    opt_state = TX.init(params)
    for epoch in range(EPOCHS):
        for batch in minibatches(data, epoch):
            params, opt_state = step(params, opt_state, *spread(batch))
        print("epoch", epoch, "readout norm", float(jnp.linalg.norm(params["readout"])))


if __name__ == "__main__":
    main()
