import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import NamedSharding, PartitionSpec as P

from mining import HardExamples


def init(key):
    return {"w": 0.02 * jax.random.normal(key, (300, 20))}


def losses_of(params, x, y):
    return optax.softmax_cross_entropy_with_integer_labels(x @ params["w"], y)


def host_part(path):
    blob = np.load(path)
    keep = np.arange(len(blob["y"]))[jax.process_index() :: jax.process_count()]
    return blob["x"][keep], blob["y"][keep], keep


def main(steps=2000, global_batch=1024):
    jax.distributed.initialize()
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    rows = NamedSharding(mesh, P("data"))
    params = jax.jit(init, out_shardings=NamedSharding(mesh, P()))(jax.random.key(0))
    tx = optax.sgd(0.1)
    opt_state = tx.init(params)

    @jax.jit
    def update(params, opt_state, x, y):
        def mean_loss(p):
            losses = losses_of(p, x, y)
            return losses.mean(), losses

        (loss, losses), grads = jax.value_and_grad(mean_loss, has_aux=True)(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss, losses

    x, y, ids = host_part("news.npz")
    hard = HardExamples(capacity=500)
    rng = np.random.default_rng([1, jax.process_index()])
    for step in range(steps):
        pick = rng.integers(0, len(y), size=global_batch // jax.process_count())
        bx, by, bid = (jax.make_array_from_process_local_data(rows, part[pick]) for part in (x, y, ids))
        params, opt_state, loss, losses = update(params, opt_state, bx, by)
        hard.add(bid, losses)
        if step % 200 == 0:
            value = float(loss)
            if jax.process_index() == 0:
                print(step, value)
    hard.write("hard_ids.npy")


if __name__ == "__main__":
    main()
