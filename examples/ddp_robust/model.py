"""A small causal language model whose every parameter takes part in every step."""

from __future__ import annotations

import torch
from torch import nn


class LanguageModel(nn.Module):
    """Transformer encoder with a causal mask, and a second head that predicts the stride of the sequence."""

    def __init__(
        self, vocab_size: int, hidden_size: int, num_layers: int, num_heads: int, dropout: float, seq_len: int
    ) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, hidden_size)
        self.positions = nn.Parameter(torch.randn(seq_len, hidden_size) * 0.02)
        layer = nn.TransformerEncoderLayer(
            hidden_size, num_heads, 2 * hidden_size, dropout, batch_first=True, norm_first=True
        )
        self.body = nn.TransformerEncoder(layer, num_layers, enable_nested_tensor=False)
        self.head = nn.Linear(hidden_size, vocab_size)
        self.stride_head = nn.Linear(hidden_size, 3)

    def forward(self, tokens: torch.Tensor, use_stride_loss: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
        length = tokens.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length, device=tokens.device)
        hidden = self.body(self.tokens(tokens) + self.positions[:length], mask=mask, is_causal=True)
        stride = self.stride_head(hidden[:, -1])
        # An unused head would leave its parameters without gradients on this step: multiply by nought instead.
        return self.head(hidden), stride if use_stride_loss else stride * 0.0
