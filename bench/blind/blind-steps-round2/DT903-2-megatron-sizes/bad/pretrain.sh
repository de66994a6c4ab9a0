#!/bin/bash
set -euo pipefail
export CUDA_DEVICE_MAX_CONNECTIONS=1
GPUS_PER_NODE=8
NNODES=1

DISTRIBUTED="--nproc_per_node $GPUS_PER_NODE --nnodes $NNODES"
MODEL="--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 --max-position-embeddings 2048"
PARALLEL="--tensor-model-parallel-size 4 --pipeline-model-parallel-size 4 --sequence-parallel"
BATCH="--micro-batch-size 1 --global-batch-size 128"

torchrun $DISTRIBUTED pretrain_gpt.py $MODEL $PARALLEL $BATCH --train-iters 50000 --lr 1.5e-4 --bf16
