import os

import torch
import torch.distributed as dist
from torch import nn

from local_sgd_broken import LocalSGD_ICT
from problem import network, sharded_loader
from topology import CLUSTER_SIZE, Place, build_manager, declare_members

EPOCHS = 6
SYNC_EVERY = 2


def main():
    place = Place(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
    dist.init_process_group("gloo")
    declare_members(place, whole_world=True)

    torch.manual_seed(0)
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def load_state(state):
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])

    def state():
        return {"model": model.state_dict(), "optimizer": optimizer.state_dict()}

    manager = build_manager("outer", f"global_{place.rank}", place.world_size, load_state, state)
    cluster_manager = build_manager(f"cluster{place.cluster}", f"local_{place.rank}", CLUSTER_SIZE, load_state, state)

    loader, sampler = sharded_loader(place.rank, place.world_size)
    with LocalSGD_ICT(manager, cluster_manager, model, optimizer, SYNC_EVERY, place.member, root_rank=0):
        for epoch in range(EPOCHS):
            sampler.set_epoch(epoch)
            for inputs, targets in loader:
                cluster_manager.start_quorum()
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(inputs), targets)
                loss.backward()
                for p in model.parameters():
                    manager.allreduce(p.grad).wait()
                if cluster_manager.should_commit():
                    optimizer.step()
            print(f"rank {place.rank} epoch {epoch} loss {loss.item():.4f}")
    manager.shutdown()
    cluster_manager.shutdown()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
