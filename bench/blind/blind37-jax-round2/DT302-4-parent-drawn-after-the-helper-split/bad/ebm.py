import jax
import jax.numpy as jnp
import numpy as np
import optax

from sampling import langevin


def energy(params, x):
    hidden = jnp.tanh(x @ params["w"] + params["b"])
    return (hidden @ params["v"]).sum(-1) + 0.5 * (x**2).sum(-1)


def init(key, dim=4, width=32):
    kw, kv = jax.random.split(key)
    return {
        "w": jax.random.normal(kw, (dim, width)) / 2,
        "b": jnp.zeros(width),
        "v": jax.random.normal(kv, (width,)) / 6,
    }


class ContrastiveDivergence:
    def __init__(self, chains, dim, lr):
        self.chains, self.dim = chains, dim
        self.tx = optax.adam(lr)
        self.update = jax.jit(self._update)

    def fresh_chains(self, key):
        return jax.random.uniform(key, (self.chains, self.dim), minval=-2.0, maxval=2.0)

    def _update(self, params, opt_state, chains, data, key):
        k_restart, k_which = jax.random.split(key)
        score = lambda x: -jax.grad(lambda z: energy(params, z).sum())(x)
        chains = langevin(score, chains, key)
        restart = jax.random.bernoulli(k_which, 0.05, (self.chains, 1))
        chains = jnp.where(restart, self.fresh_chains(k_restart), chains)

        def loss(params):
            return energy(params, data).mean() - energy(params, jax.lax.stop_gradient(chains)).mean()

        value, grads = jax.value_and_grad(loss)(params)
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, chains, value


def main(steps=300):
    k_init, k_chains, k_loop = jax.random.split(jax.random.key(77), 3)
    trainer = ContrastiveDivergence(chains=128, dim=4, lr=1e-3)
    params = init(k_init)
    opt_state = trainer.tx.init(params)
    chains = trainer.fresh_chains(k_chains)
    draw = np.random.default_rng(1)
    for step in range(steps):
        data = draw.laplace(size=(128, 4)).astype(np.float32)
        key = jax.random.fold_in(k_loop, step)
        params, opt_state, chains, value = trainer.update(params, opt_state, chains, data, key)
    print(float(value))


if __name__ == "__main__":
    main()
