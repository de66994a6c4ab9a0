"""vmapped samplers that give (key, value) back, a scan of a vmap, and a vmap of a scan."""
import jax
import jax.numpy as jnp


def ou(key, x):
    key, sub = jax.random.split(key)
    return key, 0.9 * x + 0.1 * jax.random.normal(sub, x.shape)


def scan_of_vmap(keys, xs, n):
    def body(carry, _):
        keys, xs = jax.vmap(ou)(*carry)
        return (keys, xs), xs.mean()

    return jax.lax.scan(body, (keys, xs), None, length=n)


def vmap_of_scan(keys, xs, n):
    def one(key, x):
        return jax.lax.scan(lambda c, _: (ou(*c), c[1].mean()), (key, x), None, length=n)

    return jax.vmap(one)(keys, xs)


def by_time(keys, xs, n):
    def one(key, x, t):
        return key, x + 0.1 * jax.random.normal(jax.random.fold_in(key, t), x.shape)

    for t in range(n):
        keys, xs = jax.vmap(one, in_axes=(0, 0, None))(keys, xs, t)
    return keys, xs


def main():
    a, b, c = jax.random.split(jax.random.key(0), 3)
    xs = jnp.zeros((4, 3))
    (keys, ys), _ = scan_of_vmap(jax.random.split(a, 4), xs, 5)
    keys, ys = jax.vmap(ou)(keys, ys)
    (_, zs), _ = vmap_of_scan(jax.random.split(b, 4), xs, 5)
    _, ws = by_time(jax.random.split(c, 4), xs, 5)
    print(ys.std(), zs.std(), ws.std())


if __name__ == "__main__":
    main()
