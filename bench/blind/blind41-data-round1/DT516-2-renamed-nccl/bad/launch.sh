#!/usr/bin/env bash
set -euo pipefail
export NCCL_BLOCKING_WAIT=1
export NCCL_DEBUG=WARN
torchrun --standalone --nproc-per-node=8 train.py --data data/train.bin
