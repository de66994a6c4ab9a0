#!/usr/bin/env bash
CUDA_VISIBLE_DEVICES=0,1,2,3 accelerate launch --config_file single.yaml --main_process_port 29600 train.py "$@"
