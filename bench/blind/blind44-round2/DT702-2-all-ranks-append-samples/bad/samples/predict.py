import torch


@torch.no_grad()
def predict(model, loader, device):
    rows = []
    model.eval()
    for index, x in loader:
        scores = model(x.to(device)).squeeze(-1)
        rows.extend({"id": int(i), "score": float(s)} for i, s in zip(index, scores))
    return rows
