#!/usr/bin/env bash
set -e
torchrun --standalone --nnodes=2 --nproc-per-node=8 -m train.main --config cfg/large.yaml
