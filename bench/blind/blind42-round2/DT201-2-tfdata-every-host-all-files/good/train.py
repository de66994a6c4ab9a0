import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from input_pipeline import DataConfig, make_train_iterator


class LM(nn.Module):
    vocab: int = 32_000
    width: int = 512

    @nn.compact
    def __call__(self, ids):
        x = nn.Embed(self.vocab, self.width)(ids)
        for _ in range(4):
            mask = nn.make_causal_mask(ids)
            x = x + nn.SelfAttention(num_heads=8)(nn.LayerNorm()(x), mask=mask)
            x = x + nn.Dense(self.width)(nn.gelu(nn.Dense(4 * self.width)(nn.LayerNorm()(x))))
        return nn.Dense(self.vocab)(x)


def main(steps=10_000):
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), ("data",))
    by_row, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    model, tx = LM(), optax.adamw(3e-4)
    params = jax.jit(model.init, out_shardings=whole)(jax.random.PRNGKey(0), jnp.zeros((1, 512), jnp.int32))
    opt_state = jax.jit(tx.init, out_shardings=whole)(params)

    @jax.jit
    def step(params, opt_state, ids):
        def loss_fn(p):
            logits = model.apply(p, ids[:, :-1])
            return optax.softmax_cross_entropy_with_integer_labels(logits, ids[:, 1:]).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    feed = make_train_iterator(DataConfig())
    for i in range(steps):
        ids = jax.make_array_from_process_local_data(by_row, next(feed))
        params, opt_state, loss = step(params, opt_state, ids)
        if i % 100 == 0 and jax.process_index() == 0:
            print(i, float(loss), flush=True)


if __name__ == "__main__":
    main()
