"""Keys that pass through vmapped functions which only pair them with data; each is used once later."""
import jax
import jax.numpy as jnp


def pair(key, x):
    return {"key": key, "x": x * 2}


def use(item):
    return item["x"] + jax.random.normal(item["key"], item["x"].shape)


def swap(key, x):
    return x, key


def main():
    k1, k2 = jax.random.split(jax.random.key(0))
    items = jax.vmap(pair)(jax.random.split(k1, 4), jnp.ones((4, 2)))
    out = jax.vmap(use)(items)
    for part in range(3):
        keys = jax.random.split(jax.random.fold_in(k2, part), 4)
        xs, keys = jax.vmap(swap)(keys, out)
        out = jax.vmap(lambda k, x: x + jax.random.uniform(k, x.shape))(keys, xs)
    print(out.mean())


if __name__ == "__main__":
    main()
