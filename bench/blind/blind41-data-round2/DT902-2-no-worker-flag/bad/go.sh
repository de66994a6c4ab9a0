#!/bin/bash
set -euo pipefail
NAME=train-v5e-32
ZONE=europe-west4-b
gcloud compute tpus tpu-vm create "$NAME" --zone="$ZONE" --accelerator-type=v5litepod-32 --version=v2-alpha-tpuv5-lite
gcloud compute tpus tpu-vm ssh "$NAME" --zone="$ZONE" --worker=all --command="pip install -q 'jax[tpu]' flax optax"
gcloud compute tpus tpu-vm ssh "$NAME" --zone="$ZONE" --command="python3 ~/repo/train.py"
