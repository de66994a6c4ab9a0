import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

import devices


class Pretrain:
    def __init__(self, args):
        devices.overlap_flags()
        self.mesh = devices.mesh()
        self.args = args
        self.sharded = NamedSharding(self.mesh, P("fsdp"))
        self.tx = optax.adafactor(1e-3)

    def weights(self):
        key = jax.random.key(self.args.seed)
        make = jax.jit(
            lambda k: jax.random.normal(k, (self.args.vocab, self.args.width)) * 0.02,
            out_shardings=self.sharded,
        )
        return make(key)

    def run(self):
        table = self.weights()
        opt_state = jax.jit(self.tx.init)(table)

        @jax.jit
        def step(table, opt_state, ids):
            def nll(table):
                hidden = table[ids[:, :-1]]
                logits = hidden @ table.T
                return optax.softmax_cross_entropy_with_integer_labels(logits, ids[:, 1:]).mean()

            loss, grads = jax.value_and_grad(nll)(table)
            updates, opt_state = self.tx.update(grads, opt_state, table)
            return optax.apply_updates(table, updates), opt_state, loss

        draw = np.random.default_rng(0)
        for i in range(self.args.steps):
            ids = draw.integers(0, self.args.vocab, size=(self.args.batch, 65))
            table, opt_state, loss = step(table, opt_state, jax.device_put(ids, self.sharded))
            if i % 50 == 0:
                print(i, float(loss))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vocab", type=int, default=4096)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    Pretrain(parser.parse_args()).run()


if __name__ == "__main__":
    main()
