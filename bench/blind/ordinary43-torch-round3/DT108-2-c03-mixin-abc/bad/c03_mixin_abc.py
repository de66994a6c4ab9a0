"""ABC + mixins, cooperative super(), class attributes, template method."""
import abc
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Distributed:
    backend = "nccl"

    def start(self):
        dist.init_process_group(self.backend)
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        super().start()

    def stop(self):
        super().stop()
        dist.destroy_process_group()

    @property
    def chief(self):
        return dist.get_rank() == 0


class Timed:
    def start(self):
        self.begin = time.perf_counter()
        super().start()

    def stop(self):
        if self.chief:
            print(f"took {time.perf_counter() - self.begin:.1f}s")
        super().stop()



class Job(abc.ABC):
    epochs = 3

    @abc.abstractmethod
    def build(self) -> tuple[nn.Module, DataLoader]: ...

    @abc.abstractmethod
    def loss(self, model, batch) -> torch.Tensor: ...

    def start(self): ...
    def stop(self): ...

    def __call__(self):
        self.start()
        try:
            model, loader = self.build()
            optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
            for epoch in range(self.epochs):
                loader.sampler.set_epoch(epoch)
                for batch in loader:
                    loss = self.loss(model, batch)
                    loss.backward()
                    optimizer.step()
                    optimizer.zero_grad()
                self.checkpoint(model, epoch)
        finally:
            self.stop()

    def checkpoint(self, model, epoch):
        options = StateDictOptions(full_state_dict=True, cpu_offload=True)
        if self.chief:
            weights = get_model_state_dict(model, options=options)
            torch.save(weights, f"job-{epoch}.pt")


class Regression(Distributed, Timed, Job):
    def build(self):
        torch.manual_seed(0)
        model = nn.Sequential(*[nn.Linear(8, 8) for _ in range(3)]).cuda()
        for layer in model:
            fully_shard(layer)
        fully_shard(model)
        x = torch.randn(512, 8)
        data = TensorDataset(x, x.flip(1))
        return model, DataLoader(data, 16, sampler=DistributedSampler(data))

    def loss(self, model, batch):
        x, y = batch
        return nn.functional.l1_loss(model(x.cuda()), y.cuda())


if __name__ == "__main__":
    Regression()()
