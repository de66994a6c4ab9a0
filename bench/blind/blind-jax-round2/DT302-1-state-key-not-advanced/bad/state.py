import equinox as eqx
import jax
import optax


class Mlp(eqx.Module):
    inp: eqx.nn.Linear
    drop: eqx.nn.Dropout
    out: eqx.nn.Linear

    def __init__(self, key):
        k1, k2 = jax.random.split(key)
        self.inp = eqx.nn.Linear(10, 64, key=k1)
        self.drop = eqx.nn.Dropout(0.3)
        self.out = eqx.nn.Linear(64, 1, key=k2)

    def __call__(self, x, key):
        return self.out(self.drop(jax.nn.relu(self.inp(x)), key=key))[0]


class Learner(eqx.Module):
    model: Mlp
    opt_state: optax.OptState
    key: jax.Array
    step: jax.Array
