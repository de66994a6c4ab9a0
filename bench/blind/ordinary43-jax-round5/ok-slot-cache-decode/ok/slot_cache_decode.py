"""Batched decoding server loop: slots with their own keys, a queue of requests, keys vmapped, finished slots refilled."""
import collections
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

SLOTS, VOCAB = 3, 11


@dataclasses.dataclass
class Request:
    name: str
    prompt: int
    length: int
    out: list = dataclasses.field(default_factory=list)


def sample_one(key, logits, temperature):
    key, sub = jax.random.split(key)
    token = jax.random.categorical(sub, logits / temperature)
    return key, token


@jax.jit
def decode_step(table, keys, tokens, temperature):
    return jax.vmap(sample_one, in_axes=(0, 0, None))(keys, table[tokens], temperature)


class Server:
    def __init__(self, table, seed):
        self.table = table
        self.root = jax.random.key(seed)
        self.admitted = 0
        self.keys = jax.random.split(jax.random.fold_in(self.root, 2**31 - 1), SLOTS)
        self.tokens = np.zeros(SLOTS, np.int32)
        self.slots = [None] * SLOTS

    def admit(self, i, request):
        self.admitted += 1
        self.keys = self.keys.at[i].set(jax.random.fold_in(self.root, self.admitted))
        self.tokens[i] = request.prompt
        self.slots[i] = request

    def run(self, requests):
        waiting, done = collections.deque(requests), []
        while waiting or any(s is not None for s in self.slots):
            for i, slot in enumerate(self.slots):
                if slot is None and waiting:
                    self.admit(i, waiting.popleft())
            self.keys, tokens = decode_step(self.table, self.keys, self.tokens, 0.8)
            self.tokens = np.array(tokens)
            for i, slot in enumerate(self.slots):
                if slot is None:
                    continue
                slot.out.append(int(self.tokens[i]))
                if len(slot.out) == slot.length:
                    done.append(slot)
                    self.slots[i] = None
        return done


def main():
    table_key, _ = jax.random.split(jax.random.key(0))
    server = Server(jax.random.normal(table_key, (VOCAB, VOCAB)), 1)
    for r in server.run([Request(f"r{i}", i % VOCAB, 3 + i) for i in range(6)]):
        print(r.name, r.out)


if __name__ == "__main__":
    main()
