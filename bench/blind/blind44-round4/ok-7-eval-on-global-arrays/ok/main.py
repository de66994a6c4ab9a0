import jax
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh

from garr.step import compile_steps


def main(steps=50, local=32):
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    train, predict, rows, whole = compile_steps(mesh)
    w = jax.device_put(np.zeros(5, np.float32), whole)
    rng = np.random.default_rng([0, jax.process_index()])

    def batch():
        x = rng.normal(size=(local, 5)).astype(np.float32)
        return tuple(jax.make_array_from_process_local_data(rows, a) for a in (x, x.sum(-1)))

    for step in range(steps):
        w, loss = train(w, *batch())
        shown = float(loss)
        if jax.process_index() == 0 and step % 10 == 0:
            print(step, shown)
    x, y = batch()
    outputs = multihost_utils.process_allgather(predict(w, x), tiled=True)
    labels = multihost_utils.process_allgather(y, tiled=True)
    if jax.process_index() == 0:
        print(np.abs(outputs - labels).mean(), np.asarray(w))


if __name__ == "__main__":
    main()
