#!/bin/bash
set -e
deepspeed --num_gpus 8 train.py --deepspeed --deepspeed_config zero2.json
