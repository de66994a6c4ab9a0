"""A state class with its own tree_flatten, methods that return new states, key inside; train step is a method."""
import jax
import jax.numpy as jnp


@jax.tree_util.register_pytree_with_keys_class
class Learner:
    def __init__(self, params, momentum, key, lr=0.1):
        self.params, self.momentum, self.key, self.lr = params, momentum, key, lr

    def tree_flatten_with_keys(self):
        names = ("params", "momentum", "key")
        return [(jax.tree_util.GetAttrKey(n), getattr(self, n)) for n in names], self.lr

    @classmethod
    def tree_unflatten(cls, lr, children):
        return cls(*children, lr=lr)

    @classmethod
    def create(cls, seed, dim):
        key, init = jax.random.split(jax.random.key(seed))
        params = {"w": jax.random.normal(init, (dim,)), "b": jnp.zeros(())}
        return cls(params, jax.tree.map(jnp.zeros_like, params), key)

    def fresh(self):
        key, sub = jax.random.split(self.key)
        return type(self)(self.params, self.momentum, key, self.lr), sub

    def loss(self, params, x, y, key):
        keep = jax.random.bernoulli(key, 0.9, x.shape)
        return jnp.mean(((x * keep) @ params["w"] + params["b"] - y) ** 2)

    @jax.jit
    def step(self, x, y):
        self, sub = self.fresh()
        value, grads = jax.value_and_grad(self.loss)(self.params, x, y, sub)
        momentum = jax.tree.map(lambda m, g: 0.9 * m + g, self.momentum, grads)
        params = jax.tree.map(lambda p, m: p - self.lr * m, self.params, momentum)
        return Learner(params, momentum, self.key, self.lr), value


def main():
    learner = Learner.create(0, 4)
    learner, data_key = learner.fresh()
    x = jax.random.normal(data_key, (64, 4))
    for i in range(20):
        learner, value = learner.step(x, x.sum(1))
    learner, a = learner.fresh()
    learner, b = learner.fresh()
    print(float(value), jax.random.normal(a), jax.random.normal(b))


if __name__ == "__main__":
    main()
