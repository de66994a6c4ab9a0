#!/bin/bash
# start.sh NODE_RANK, on both machines
set -eu
export CUDA_DEVICE_MAX_CONNECTIONS=1
torchrun --nnodes=2 --nproc_per_node=8 --node_rank="$1" --master_addr=10.0.0.11 --master_port=29500 \
  pretrain.py --tensor 4 --pipeline 2
