import json

import jax
import jax.numpy as jnp
import numpy as np
from absl import app, flags
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

RUN = flags.DEFINE_string("run", "/shared/run", "Folder of the run.")


class Log:
    def __init__(self, path):
        self.path = path

    def write(self, **values):
        if jax.process_index() == 0:
            with open(self.path, "a") as handle:
                handle.write(json.dumps(values) + "\n")


@jax.jit
def update(weight, x):
    value, grad = jax.value_and_grad(lambda w: jnp.mean((x @ w - x) ** 2))(weight)
    return weight - 0.1 * grad, value


def main(argv):
    del argv
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    weight = jax.device_put(np.zeros((6, 6), np.float32), NamedSharding(mesh, P()))
    log = Log(f"{RUN.value}/log.jsonl")
    rng = np.random.default_rng([1, jax.process_index()])
    for step in range(100):
        local = rng.normal(size=(4 * jax.local_device_count(), 6)).astype(np.float32)
        weight, value = update(weight, jax.make_array_from_process_local_data(rows, local))
        if step % 10 == 0:
            log.write(step=step, loss=float(value))


if __name__ == "__main__":
    app.run(main)
