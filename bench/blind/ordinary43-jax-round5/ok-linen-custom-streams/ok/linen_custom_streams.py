"""linen: several rng streams, has_rng, make_rng twice in one call, lazy init with eval_shape, bind, intermediates."""
import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


class Noisy(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x, train=False):
        h = nn.Dense(self.width)(x)
        if train and self.has_rng("noise"):
            h = h + 0.1 * jax.random.normal(self.make_rng("noise"), h.shape)
            h = h * jax.random.bernoulli(self.make_rng("noise"), 0.9, h.shape)
        self.sow("intermediates", "h", h)
        h = nn.Dropout(0.1)(h, deterministic=not train)
        return nn.Dense(1)(h)


class Trainer:
    STREAMS = ("dropout", "noise")

    def __init__(self, seed):
        self.model = Noisy(8)
        root = jax.random.PRNGKey(seed)
        self.params_key, self.stream_key, self.data_key = jax.random.split(root, 3)
        self.tx = optax.adam(1e-2)

    def rngs(self, step):
        keys = jax.random.split(jax.random.fold_in(self.stream_key, step), len(self.STREAMS))
        return dict(zip(self.STREAMS, keys))

    def init(self, x):
        shapes = jax.eval_shape(self.model.init, self.params_key, x)
        params = self.model.init(self.params_key, x)
        assert jax.tree.structure(shapes) == jax.tree.structure(params)
        return params["params"]

    def fit(self, steps):
        x = jax.random.normal(self.data_key, (64, 4))
        y = x.sum(1, keepdims=True)
        params = self.init(x)
        opt = self.tx.init(params)

        @jax.jit
        def step(params, opt, rngs):
            def loss_fn(p):
                out, extra = self.model.apply({"params": p}, x, train=True, rngs=rngs, mutable=["intermediates"])
                return jnp.mean((out - y) ** 2), extra

            (loss, _), g = jax.value_and_grad(loss_fn, has_aux=True)(params)
            u, opt = self.tx.update(g, opt)
            return optax.apply_updates(params, u), opt, loss

        for i in range(steps):
            params, opt, loss = step(params, opt, self.rngs(i))
        bound = self.model.bind({"params": params})
        return float(loss), float(jnp.mean((bound(x) - y) ** 2))


if __name__ == "__main__":
    print(Trainer(0).fit(20))
