import flax.linen as nn
import jax.numpy as jnp


class Encoder(nn.Module):
    vocab: int = 1000
    width: int = 64
    heads: int = 4

    @nn.compact
    def __call__(self, ids, train: bool):
        x = nn.Embed(self.vocab, self.width)(ids)
        y = nn.MultiHeadDotProductAttention(self.heads, deterministic=not train, dropout_rate=0.1)(nn.LayerNorm()(x))
        x = x + y
        x = x + nn.Dense(self.width)(nn.gelu(nn.Dense(2 * self.width)(nn.LayerNorm()(x))))
        return nn.Dense(self.vocab)(x)


def dummy():
    return jnp.zeros((1, 16), jnp.int32)
