import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import jax_utils
from jax.experimental import multihost_utils

from evaluation import HostEvaluator


def apply(params, x):
    return jax.nn.relu(x @ params["w"]) @ params["v"]


def main(steps=1000, per_device=128):
    jax.distributed.initialize()
    n = jax.local_device_count()
    tx = optax.adam(1e-3)

    def update(params, opt_state, x, y):
        def loss_fn(p):
            return optax.softmax_cross_entropy_with_integer_labels(apply(p, x), y).mean()

        grads = jax.lax.pmean(jax.grad(loss_fn)(params), "all")
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state

    p_update = jax.pmap(update, axis_name="all", donate_argnums=(0, 1))
    kw, kv = jax.random.split(jax.random.key(0))
    params = {"w": jax.random.normal(kw, (50, 128)) / 7, "v": jax.random.normal(kv, (128, 10)) / 11}
    params, opt_state = jax_utils.replicate((params, tx.init(params)))
    mine = slice(jax.process_index(), None, jax.process_count())
    data = np.load("rows.npz")
    train_x, train_y = data["train_x"][mine], data["train_y"][mine]
    valid_x, valid_y = data["valid_x"][mine], data["valid_y"][mine]
    evaluate = HostEvaluator(apply)
    rng = np.random.default_rng([3, jax.process_index()])
    for step in range(1, steps + 1):
        rows = rng.integers(0, len(train_y), size=(n, per_device))
        params, opt_state = p_update(params, opt_state, train_x[rows], train_y[rows])
        if step % 250 == 0:
            own = evaluate(jax.device_get(jax_utils.unreplicate(params)), valid_x, valid_y)
            hits, count = multihost_utils.process_allgather(own).sum(axis=0)
            if jax.process_index() == 0:
                print(step, hits / count)


if __name__ == "__main__":
    main()
