#!/bin/bash
set -euo pipefail

GPUS_PER_NODE=8
NNODES=2
MASTER_ADDR=${MASTER_ADDR:?}
NODE_RANK=${NODE_RANK:?}

TP=8
PP=4

LAUNCH=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NNODES
    --node_rank $NODE_RANK
    --master_addr $MASTER_ADDR
    --master_port 6000
)

torchrun "${LAUNCH[@]}" pretrain_gpt.py \
    --tensor-model-parallel-size $TP \
    --pipeline-model-parallel-size $PP \
    --num-layers 48 --hidden-size 4096 --num-attention-heads 32 \
    --seq-length 4096 --max-position-embeddings 4096 \
    --micro-batch-size 1 --global-batch-size 512 \
    --train-iters 50000 --bf16
