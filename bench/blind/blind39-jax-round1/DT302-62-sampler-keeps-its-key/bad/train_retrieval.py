"""Two-tower retrieval on a ("data",) mesh with sampled softmax."""
import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from negatives import NegativeSampler


def init_towers(key, users, items, width):
    user_key, item_key = jax.random.split(key)
    return {
        "user": 0.05 * jax.random.normal(user_key, (users, width)),
        "item": 0.05 * jax.random.normal(item_key, (items, width)),
    }


def sampled_loss(params, users, positives, negatives):
    query = params["user"][users]
    candidates = jnp.concatenate([positives[:, None], negatives], axis=1)
    scores = jnp.einsum("bd,bkd->bk", query, params["item"][candidates])
    return -jnp.mean(jax.nn.log_softmax(scores)[:, 0])


def clicks(args):
    rng = np.random.default_rng(2)
    for _ in range(args.steps):
        users = rng.integers(0, args.users, size=args.batch)
        yield users, (users * 7 + rng.integers(0, 3, size=args.batch)) % args.items


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", type=int, default=4096)
    parser.add_argument("--items", type=int, default=1024)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--steps", type=int, default=300)
    args = parser.parse_args()

    mesh = Mesh(np.array(jax.devices()), ("data",))
    by_row = NamedSharding(mesh, P("data"))
    init_key, negative_key = jax.random.split(jax.random.key(31))
    params = jax.device_put(init_towers(init_key, args.users, args.items, 32), NamedSharding(mesh, P()))
    tx = optax.adagrad(0.1)
    opt_state = tx.init(params)
    sampler = NegativeSampler(negative_key, args.items, per_positive=8)

    @jax.jit
    def step_fn(params, opt_state, users, positives, negatives):
        loss, grads = jax.value_and_grad(sampled_loss)(params, users, positives, negatives)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    for step, (users, positives) in enumerate(clicks(args)):
        users, positives = jax.device_put((users, positives), by_row)
        negatives = sampler.draw(positives)
        params, opt_state, loss = step_fn(params, opt_state, users, positives, negatives)
        if step % 50 == 0:
            print(step, float(loss))


if __name__ == "__main__":
    main()
