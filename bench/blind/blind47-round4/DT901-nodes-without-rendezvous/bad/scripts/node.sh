#!/usr/bin/env bash
# usage: node.sh <nodes> <gpus>
set -e
NODES=${1:-2}
GPUS=${2:-8}
COMMON="--nnodes=2 --nproc-per-node=8 --standalone"
exec torchrun $COMMON train.py
