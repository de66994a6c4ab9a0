import jax
from flax import struct
from flax.training import train_state


class KeyedState(train_state.TrainState):
    key: jax.Array = struct.field(default=None)

    def next_key(self):
        key, sub = jax.random.split(self.key)
        return self.replace(key=key), sub
