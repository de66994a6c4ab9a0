import hydra
import torch
import torch.distributed as dist
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig) -> None:
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(512, 8)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, cfg.batch_size, sampler=sampler)
    model = DistributedDataParallel(instantiate(cfg.model))
    optimizer = instantiate(cfg.optimizer)(model.parameters())
    if dist.get_rank() == 0:
        OmegaConf.save(cfg, "resolved.yaml")
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(a), b).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
