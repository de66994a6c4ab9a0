from dataclasses import dataclass, replace

from torch.utils.data import DataLoader, Dataset, DistributedSampler


@dataclass(frozen=True)
class LoaderPlan:
    dataset: Dataset
    batch: int
    seed: int = 0

    def sampler(self) -> DistributedSampler:
        return DistributedSampler(self.dataset, seed=self.seed)

    def build(self, sampler=None) -> DataLoader:
        return DataLoader(self.dataset, self.batch, sampler=sampler or self.sampler())

    def larger(self, factor: int) -> "LoaderPlan":
        return replace(self, batch=self.batch * factor)
