import argparse

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from logs import get_logger


class Job:
    def __init__(self, args):
        self.args = args
        self.log = get_logger("job")
        jax.distributed.initialize()
        self.mesh = Mesh(np.asarray(jax.devices()), ("data",))
        self.tx = optax.adam(args.lr)

    def batches(self):
        rng = np.random.default_rng([7, jax.process_index()])
        rows = NamedSharding(self.mesh, P("data"))
        for _ in range(self.args.steps):
            x = rng.normal(size=(self.args.host_batch, 4)).astype(np.float32)
            yield tuple(jax.make_array_from_process_local_data(rows, a) for a in (x, x.prod(-1)))

    def run(self):
        whole = NamedSharding(self.mesh, P())
        params = jax.jit(lambda: jnp.zeros((4,)), out_shardings=whole)()
        opt_state = jax.jit(self.tx.init)(params)

        @jax.jit
        def step(params, opt_state, x, y):
            loss, grads = jax.value_and_grad(lambda p: jnp.mean((jnp.tanh(x @ p) - y) ** 2))(params)
            updates, opt_state = self.tx.update(grads, opt_state)
            return optax.apply_updates(params, updates), opt_state, loss

        for i, (x, y) in enumerate(self.batches()):
            params, opt_state, loss = step(params, opt_state, x, y)
            if i % 5 == 0:
                self.log.info("step %d loss %.4f", i, float(loss))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=15)
    parser.add_argument("--host-batch", type=int, default=16)
    parser.add_argument("--lr", type=float, default=1e-2)
    Job(parser.parse_args()).run()


if __name__ == "__main__":
    main()
