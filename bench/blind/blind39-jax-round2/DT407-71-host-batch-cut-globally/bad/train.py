import jax
import jax.numpy as jnp
import optax
from flax import jax_utils
from flax import linen as nn

from data import HostBatches


class VectorQuantiser(nn.Module):
    codes: int
    dim: int

    @nn.compact
    def __call__(self, x):
        book = self.param("book", nn.initializers.normal(0.1), (self.codes, self.dim))
        z = nn.Dense(self.dim)(x)
        nearest = book[jnp.argmin(jnp.sum((z[:, None] - book[None]) ** 2, -1), -1)]
        q = z + jax.lax.stop_gradient(nearest - z)
        commit = jnp.mean((z - jax.lax.stop_gradient(nearest)) ** 2) + jnp.mean((nearest - jax.lax.stop_gradient(z)) ** 2)
        return nn.Dense(x.shape[-1])(q), commit


def main(steps=10_000, global_batch=2048):
    jax.distributed.initialize()
    model = VectorQuantiser(256, 16)
    tx = optax.adam(1e-3)

    def update(params, opt_state, x):
        def loss_fn(p):
            out, commit = model.apply(p, x)
            return jnp.mean((out - x) ** 2) + 0.25 * commit

        loss, grads = jax.value_and_grad(loss_fn)(params)
        loss, grads = jax.lax.pmean((loss, grads), "chips")
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    p_update = jax.pmap(update, axis_name="chips", donate_argnums=(0, 1))
    params = model.init(jax.random.key(0), jnp.zeros((1, 64)))
    opt_state = jax_utils.replicate(tx.init(params))
    params = jax_utils.replicate(params)
    for step, batch in zip(range(steps), HostBatches("features.npy", global_batch, seed=1)):
        params, opt_state, loss = p_update(params, opt_state, batch)
        if step % 1000 == 0 and jax.process_index() == 0:
            print(step, float(loss[0]))


if __name__ == "__main__":
    main()
