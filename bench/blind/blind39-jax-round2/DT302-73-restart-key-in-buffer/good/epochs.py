import jax
import numpy as np


def shuffled_epochs(key, arrays, batch_size, epochs):
    """Batches of all arrays in a new order for each epoch; the tail that does not fill a batch is left out."""
    count = len(next(iter(arrays.values())))
    for epoch in range(epochs):
        key, perm_key = jax.random.split(key)
        order = np.asarray(jax.random.permutation(perm_key, count))
        for start in range(0, count - batch_size + 1, batch_size):
            rows = order[start : start + batch_size]
            yield epoch, {name: value[rows] for name, value in arrays.items()}
