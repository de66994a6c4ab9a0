#!/usr/bin/env bash
export NCCL_DEBUG=INFO
export CUDA_LAUNCH_BLOCKING=1
export TORCH_DISTRIBUTED_DEBUG=DETAIL
export NCCL_TREE_THRESHOLD=0
export NCCL_MIN_NRINGS=4
export NCCL_MAX_NRINGS=16
torchrun --nproc_per_node=4 --nnodes=1 --node_rank=0 --master_addr=localhost --master_port=12355 environment_broken.py
