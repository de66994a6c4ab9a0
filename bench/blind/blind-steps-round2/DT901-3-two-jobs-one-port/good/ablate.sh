#!/bin/bash
# two ablations side by side, four GPUs each
set -e
run() {
  CUDA_VISIBLE_DEVICES=$1 torchrun --nproc_per_node=4 --master_port="$3" train.py --width "$2" > "log_$2.txt" 2>&1 &
}

run 0,1,2,3 256 29510
run 4,5,6,7 512 29511
wait
