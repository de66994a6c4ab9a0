import torch



@torch.no_grad()
def generate(model, tokens, eos, limit=64):
    """Greedy decoding until every sequence has ended."""
    ended = torch.zeros(len(tokens), dtype=torch.bool, device=tokens.device)
    while tokens.shape[1] < limit:
        logits = model(tokens)[:, -1]
        token = logits.argmax(dim=-1).masked_fill(ended, eos)
        tokens = torch.cat([tokens, token[:, None]], dim=1)
        ended |= token == eos
        if ended.all():
            break
    return tokens
