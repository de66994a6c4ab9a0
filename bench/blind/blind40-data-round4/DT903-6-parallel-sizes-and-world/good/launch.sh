#!/bin/bash
# usage on both nodes: HEAD=10.0.0.1 ./launch.sh
torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint="$HEAD:29400" --rdzv-id=mesh train.py
