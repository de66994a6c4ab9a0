#!/usr/bin/env bash
# usage: node.sh <nodes> <gpus>
set -e
NODES=${1:-2}
GPUS=${2:-8}
COMMON="--nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=${HEAD_NODE}:29400 --rdzv-id=${JOB_ID}"
exec torchrun $COMMON train.py
