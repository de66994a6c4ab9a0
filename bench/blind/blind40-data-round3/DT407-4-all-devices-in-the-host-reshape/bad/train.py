import jax
import jax.numpy as jnp
import optax
from flax import jax_utils

from host_batches import source

tx = optax.lamb(2e-3)


def train_step(params, opt_state, batch):
    def loss_fn(p):
        logits = (jax.nn.elu(batch["x"] @ p["w"]) @ p["v"])[:, 0]
        return optax.sigmoid_binary_cross_entropy(logits, batch["y"]).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    grads = jax.lax.pmean(grads, axis_name="p")
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, jax.lax.pmean(loss, axis_name="p")


def main(steps=400, global_batch=4096):
    jax.distributed.initialize()
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"w": jax.random.normal(k1, (14, 50)) / 4, "v": jax.random.normal(k2, (50, 1)) / 7}
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    p_step = jax.pmap(train_step, axis_name="p", donate_argnums=(0, 1))
    batches = source(global_batch // jax.process_count(), seed=0)
    for i in range(steps):
        params, opt_state, loss = p_step(params, opt_state, next(batches))
        if i % 100 == 0 and jax.process_index() == 0:
            print(i, float(loss[0]))


if __name__ == "__main__":
    main()
