#!/bin/bash
GPUS_PER_NODE=8
NNODES=2
torchrun --nproc-per-node $GPUS_PER_NODE --nnodes $NNODES --rdzv-backend c10d --rdzv-id gpt --rdzv-endpoint "$HEAD:29500" \
    pretrain_gpt.py \
    --tensor-model-parallel-size 4 \
    --pipeline-model-parallel-size 2 \
    --micro-batch-size 2 \
    --global-batch-size 256 \
    --bf16
