import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def agreed_seed(seed):
    if seed >= 0:
        return seed
    mine = np.asarray(time.time_ns() % 2**31, dtype=np.int32)
    return int(multihost_utils.broadcast_one_to_all(mine))


class StepClock:
    def __init__(self):
        self.times = []
        self.last = time.perf_counter()

    def tick(self):
        now = time.perf_counter()
        self.times.append(now - self.last)
        self.last = now

    def slowest_host(self):
        mine = np.asarray([np.mean(self.times), np.max(self.times)])
        everyone = multihost_utils.process_allgather(mine)
        return everyone.reshape(-1, 2)[:, 0].max()


def main(seed=-1, steps=10, global_batch=32):
    jax.distributed.initialize()
    seed = agreed_seed(seed)
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    key = jax.random.key(seed)
    tx = optax.adam(1e-2)
    params = jax.jit(lambda k: jax.random.normal(k, (6,)), out_shardings=whole)(key)
    opt_state = jax.jit(tx.init)(params)

    @jax.jit
    def step(params, opt_state, x):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((x @ p - x.sum(-1)) ** 2))(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    rng = np.random.default_rng([seed, jax.process_index()])
    clock = StepClock()
    for _ in range(steps):
        x = rng.normal(size=(global_batch // jax.process_count(), 6)).astype(np.float32)
        x = jax.make_array_from_process_local_data(rows, x)
        params, opt_state, loss = step(params, opt_state, x)
        loss.block_until_ready()
        clock.tick()
    slowest = clock.slowest_host()
    if jax.process_index() == 0:
        print("loss", float(loss), "slowest host", slowest, "params", np.asarray(params)[:2])


if __name__ == "__main__":
    main()
