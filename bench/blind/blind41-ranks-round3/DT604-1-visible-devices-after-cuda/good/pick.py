import argparse
import os

import torch
import torch.nn as nn


def pick(gpu):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", type=int, default=0)
    args = parser.parse_args()
    pick(args.gpu)
    print("memory:", torch.cuda.get_device_properties(0).total_memory)
    torch.manual_seed(0)
    model = nn.Linear(10, 10).cuda()
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(100):
        x = torch.randn(32, 10, device="cuda")
        opt.zero_grad()
        (model(x) - x).pow(2).mean().backward()
        opt.step()


if __name__ == "__main__":
    main()
