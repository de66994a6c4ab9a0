import torch
import torch.distributed as dist


@torch.no_grad()
def predict(model, loader, device):
    model.eval()
    scores, targets = [], []
    for x, y in loader:
        scores.append(torch.sigmoid(model(x.to(device))).squeeze(1).cpu())
        targets.append(y)
    return torch.cat(scores), torch.cat(targets)


def average_precision(scores, targets):
    order = scores.argsort(descending=True)
    hits = targets[order].float()
    precision = hits.cumsum(0) / torch.arange(1, len(hits) + 1)
    return (precision * hits).sum().item() / max(hits.sum().item(), 1.0)


def evaluate(model, loader, device):
    """Average precision over the whole validation set, known to every rank."""
    local = predict(model, loader, device)
    everything = [None] * dist.get_world_size() if dist.get_rank() == 0 else None
    dist.gather_object(local, everything, dst=0)
    if everything is None:
        return None

    scores = torch.cat([s for s, _ in everything])
    targets = torch.cat([t for _, t in everything])
    answer = [average_precision(scores, targets)]
    dist.broadcast_object_list(answer, src=0)
    return answer[0]
