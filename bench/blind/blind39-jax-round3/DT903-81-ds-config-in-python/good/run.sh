#!/usr/bin/env bash
set -e
deepspeed --num_gpus 8 train.py --epochs 3
