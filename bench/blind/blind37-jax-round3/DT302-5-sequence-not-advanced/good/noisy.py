import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax


def network(x, is_training):
    x = jax.nn.relu(hk.Linear(128)(x))
    if is_training:
        x = hk.dropout(hk.next_rng_key(), 0.3, x)
    return hk.Linear(1)(x)[:, 0]


net = hk.transform(network)
tx = optax.adam(1e-3)


@jax.jit
def update(params, opt_state, key, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((net.apply(p, key, x, True) - y) ** 2))(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


class Bagging:
    """A few networks, each trained on a bootstrap sample."""

    def __init__(self, members, seed):
        self.members = members
        self.keys = hk.PRNGSequence(seed)
        self.draw = np.random.default_rng(seed)

    def fit_one(self, x, y, steps):
        params = net.init(next(self.keys), x[:1], True)
        opt_state = tx.init(params)
        for _ in range(steps):
            rows = self.draw.integers(0, len(y), 64)
            params, opt_state, loss = update(params, opt_state, next(self.keys), x[rows], y[rows])
        return params, float(loss)

    def fit(self, x, y, steps=200):
        fitted = [self.fit_one(x, y, steps) for _ in range(self.members)]
        self.params = [params for params, _ in fitted]
        return [loss for _, loss in fitted]

    def predict(self, x):
        return jnp.stack([net.apply(params, None, x, False) for params in self.params]).mean(0)


def main():
    draw = np.random.default_rng(9)
    x = draw.normal(size=(2048, 6)).astype(np.float32)
    y = np.sin(x).sum(-1)
    model = Bagging(members=5, seed=42)
    print(model.fit(x, y), float(jnp.mean((model.predict(x) - y) ** 2)))


if __name__ == "__main__":
    main()
