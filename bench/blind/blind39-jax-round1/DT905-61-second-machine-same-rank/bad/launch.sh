#!/usr/bin/env bash
# usage: launch.sh 0|1   (run it on each machine)
set -euo pipefail
exec accelerate launch --config_file "accelerate/node$1.yaml" train.py
