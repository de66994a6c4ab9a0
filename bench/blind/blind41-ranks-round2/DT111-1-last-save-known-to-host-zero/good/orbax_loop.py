import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
from absl import app, flags
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

FOLDER = flags.DEFINE_string("folder", "/shared/ckpt", "Where checkpoints go.")
EVERY = flags.DEFINE_integer("every", 200, "Steps between two checkpoints.")


class Saver:
    def __init__(self, folder, every):
        self.manager = ocp.CheckpointManager(folder, options=ocp.CheckpointManagerOptions(max_to_keep=2))
        self.every = every
        self.last = 0

    def offer(self, step, weight):
        if step - self.last < self.every:
            return
        self.manager.save(step, args=ocp.args.StandardSave({"weight": weight}))
        self.last = step
        if jax.process_index() == 0:
            print("saved", step)

    def close(self):
        self.manager.wait_until_finished()
        self.manager.close()


@jax.jit
def update(weight, x):
    value, grad = jax.value_and_grad(lambda w: jnp.mean((jnp.tanh(x @ w) - x) ** 2))(weight)
    return weight - 0.05 * grad, value


def main(argv):
    del argv
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    rows = NamedSharding(mesh, P("data"))
    weight = jax.device_put(np.eye(12, dtype=np.float32), NamedSharding(mesh, P()))
    saver = Saver(FOLDER.value, EVERY.value)
    rng = np.random.default_rng([1, jax.process_index()])
    for step in range(1, 2001):
        local = rng.normal(size=(4 * jax.local_device_count(), 12)).astype(np.float32)
        weight, value = update(weight, jax.make_array_from_process_local_data(rows, local))
        saver.offer(step, weight)
    saver.close()


if __name__ == "__main__":
    app.run(main)
