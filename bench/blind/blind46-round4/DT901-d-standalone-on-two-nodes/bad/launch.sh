#!/usr/bin/env bash
set -euo pipefail

NODES="${NODES:-2}"
GPUS="${GPUS:-8}"
HEAD="${HEAD_NODE:?set HEAD_NODE to the first host}"

export OMP_NUM_THREADS=4

torchrun \
    --standalone \
    --nnodes="$NODES" \
    --nproc_per_node="$GPUS" \
    train.py --epochs 3 "$@"
