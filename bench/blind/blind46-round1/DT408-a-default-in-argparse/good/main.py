import argparse
import os

import jax
import jax.numpy as jnp
import numpy as np
import optax


def parser():
    ap = argparse.ArgumentParser()
    sub = ap.add_subparsers(dest="command", required=True)
    train = sub.add_parser("train")
    train.add_argument("--per-device-batch", type=int, default=32)
    train.add_argument("--steps", type=int, default=100)
    train.set_defaults(func=run_train)
    info = sub.add_parser("info")
    info.set_defaults(func=lambda args: print(args))
    return ap


def connect():
    jax.distributed.initialize(
        coordinator_address=os.environ["COORD"],
        num_processes=int(os.environ["NPROC"]),
        process_id=int(os.environ["PROC_ID"]),
    )


def loss_fn(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


def make_step(tx):
    def step(w, opt, x, y):
        loss, g = jax.value_and_grad(loss_fn)(w, x, y)
        g = jax.lax.pmean(g, "d")
        upd, opt = tx.update(g, opt)
        return optax.apply_updates(w, upd), opt, jax.lax.pmean(loss, "d")

    return jax.pmap(step, axis_name="d", in_axes=(None, None, 0, 0), out_axes=None)


def run_train(args):
    connect()
    tx = optax.sgd(1e-2)
    w = jnp.zeros((4,))
    opt, step = tx.init(w), make_step(tx)
    rng = np.random.default_rng([1, jax.process_index()])
    n = jax.local_device_count()
    rows = args.per_device_batch
    for _ in range(args.steps):
        x = rng.normal(size=(n, rows, 4)).astype(np.float32)
        w, opt, loss = step(w, opt, x, x.sum(-1))
    if jax.process_index() == 0:
        print("loss", float(loss))


def main():
    args = parser().parse_args()
    args.func(args)


if __name__ == "__main__":
    main()
