import jax
import numpy as np


class HostReader:
    """This host's rows, shaped for its devices."""

    def __init__(self, images, labels, per_device, seed):
        host, hosts = jax.process_index(), jax.process_count()
        rows = len(images) // hosts
        self.images = images[host * rows : (host + 1) * rows]
        self.labels = labels[host * rows : (host + 1) * rows]
        self.local = jax.local_device_count()
        self.size = per_device * self.local
        self.rng = np.random.default_rng([seed, host])

    def epoch(self):
        order = self.rng.permutation(len(self.images))
        for at in range(0, len(order) - self.size + 1, self.size):
            pick = np.sort(order[at : at + self.size])
            images = np.asarray(self.images[pick], np.float32) / 255
            yield images.reshape(self.local, -1, *images.shape[1:]), self.labels[pick].reshape(self.local, -1)
