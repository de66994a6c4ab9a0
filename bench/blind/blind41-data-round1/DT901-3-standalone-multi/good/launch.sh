#!/usr/bin/env bash
set -e
torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-id=large --rdzv-endpoint="$HEAD:29500" -m train.main --config cfg/large.yaml
