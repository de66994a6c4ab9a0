import jax
import jax.numpy as jnp

from options import Options


def main():
    jax.distributed.initialize()
    options = Options()
    if jax.process_index() == 0:
        print(options.hosts, options.devices * options.per_device)
    total = jax.pmap(lambda x: jax.lax.psum(x, "i"), axis_name="i")(jnp.ones(options.devices))
    assert int(total[0]) == jax.device_count()


if __name__ == "__main__":
    main()
