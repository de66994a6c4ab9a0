#!/bin/bash
set -e
NAME=lm-v4-32
ZONE=us-central2-b

gcloud compute tpus tpu-vm create "$NAME" --zone "$ZONE" --accelerator-type v4-32 --version tpu-ubuntu2204-base
gcloud compute tpus tpu-vm scp --recurse ./src "$NAME":~/ --zone "$ZONE" --worker=all
gcloud compute tpus tpu-vm ssh "$NAME" --zone "$ZONE" --worker=all --command "pip install -q 'jax[tpu]' flax optax"
gcloud compute tpus tpu-vm ssh "$NAME" --zone "$ZONE" --worker=all --command "cd src && python3 train.py --config lm.py"
