#!/usr/bin/env bash
set -euo pipefail

NODES="${NODES:-2}"
GPUS="${GPUS:-8}"
HEAD="${HEAD_NODE:?set HEAD_NODE to the first host}"

export OMP_NUM_THREADS=4

torchrun \
    --nnodes="$NODES" \
    --nproc_per_node="$GPUS" \
    --rdzv_backend=c10d \
    --rdzv_id="${JOB_ID:-train}" \
    --rdzv_endpoint="$HEAD:29500" \
    train.py --epochs 3 "$@"
