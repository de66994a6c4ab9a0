#!/bin/bash
# run on each of the two machines with its number: start.sh 0, start.sh 1
set -eu
exec accelerate launch --config_file "configs/machine$1.yaml" train.py --epochs 3
