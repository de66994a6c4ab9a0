#!/bin/bash
set -eu
export NCCL_SOCKET_IFNAME=eth0
torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-id=77 --rdzv-endpoint="$(hostname):29400" train.py
