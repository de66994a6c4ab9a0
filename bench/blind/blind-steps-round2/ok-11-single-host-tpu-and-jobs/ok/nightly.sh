#!/bin/bash
set -e
port() { echo $((29500 + $1)); }
torchrun --standalone --nproc_per_node=8 train.py --width 64
torchrun --standalone --nproc_per_node=8 train.py --width 128
for i in 0 1; do
  CUDA_VISIBLE_DEVICES=$((4 * i)),$((4 * i + 1)) torchrun --nproc_per_node=2 --master_port="$(port $i)" train.py --width $((64 << i)) &
done
wait
