import jax

PROCESSES = jax.process_count()


def rows(total):
    return total // PROCESSES
