import jax
import jax.numpy as jnp

if __name__ == "__main__":
    jax.distributed.initialize()
    print(jax.process_index(), jax.device_count())
