"""Decorators: timed, retried on the main process, jit by a class decorator; partial and closures around keys."""
import functools
import time

import jax
import jax.numpy as jnp


def timed(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        out = jax.block_until_ready(fn(*args, **kwargs))
        wrapper.times.append(time.perf_counter() - start)
        return out

    wrapper.times = []
    return wrapper


def retry(times):
    def deco(fn):
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            for attempt in range(times):
                try:
                    return fn(*args, **kwargs)
                except OSError:
                    if attempt == times - 1:
                        raise
                    time.sleep(0.1 * 2**attempt)

        return wrapper

    return deco


def main_process_only(fn):
    return fn if jax.process_index() == 0 else (lambda *a, **k: None)


@main_process_only
@retry(3)
def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def make_sampler(key):
    count = 0

    def sample(shape):
        nonlocal count
        count += 1
        return jax.random.normal(jax.random.fold_in(key, count), shape)

    return sample


def corrupt(x, key, rate):
    return x * jax.random.bernoulli(key, 1 - rate, x.shape)


@timed
@jax.jit
def step(w, x, key):
    noisy = functools.partial(corrupt, key=key, rate=0.1)
    loss, g = jax.value_and_grad(lambda w: jnp.mean((noisy(x) @ w - x.sum(1)) ** 2))(w)
    return w - 0.05 * g, loss


def main():
    data_key, noise_key = jax.random.split(jax.random.key(0))
    sample = make_sampler(data_key)
    w = jnp.zeros(4)
    for i in range(20):
        w, loss = step(w, sample((16, 4)), jax.random.fold_in(noise_key, i))
    write("/tmp/decorated.txt", f"{float(loss)} {sum(step.times):.3f}\n")
    print(float(loss))


if __name__ == "__main__":
    main()
