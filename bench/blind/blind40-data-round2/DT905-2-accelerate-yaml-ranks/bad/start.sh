#!/bin/bash
# second machine
set -e
accelerate launch --config_file accelerate_2node.yaml finetune.py --epochs 3
