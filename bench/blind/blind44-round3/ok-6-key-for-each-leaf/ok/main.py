import jax

from keys.sgld import langevin
from keys.streams import Stream, stream


def main(steps=40, seed=3):
    k_a, k_b = jax.random.split(stream(seed, Stream.INIT))
    params = {"a": jax.random.normal(k_a, (4, 8)), "b": jax.random.normal(k_b, (8,))}
    samples = []
    for step in range(steps):
        x = jax.random.normal(stream(seed, Stream.DATA, step), (32, 4))
        params = langevin(params, stream(seed, Stream.NOISE, step), x)
        if step % 10 == 0:
            samples.append(params)
    print(len(samples))


if __name__ == "__main__":
    main()
