from pathlib import Path

import torch

from dist_env import local_main_only

SHARED = Path("/shared/experiments")


@local_main_only
def save(net, name, epoch):
    folder = SHARED / name
    folder.mkdir(parents=True, exist_ok=True)
    torch.save({"net": net.state_dict(), "epoch": epoch}, folder / "model.pt")
