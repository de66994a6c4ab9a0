import jax
import orbax.checkpoint as ocp


class Saver:
    def __init__(self, folder, every):
        self.every = every
        self.checkpointer = ocp.StandardCheckpointer()
        self.folder = folder

    def __call__(self, step, state):
        if step % self.every:
            return
        self.checkpointer.save(f"{self.folder}/{step}", state)
        if jax.process_index() == 0:
            print("saving", step)
