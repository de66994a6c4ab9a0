#!/bin/bash
set -eu
exec torchrun \
    --nnodes="$SLURM_JOB_NUM_NODES" \
    --nproc_per_node=8 \
    --rdzv_id="$SLURM_JOB_ID" \
    --rdzv_backend=c10d \
    --rdzv_endpoint="$HEAD_NODE:29500" \
    train.py "$@"
