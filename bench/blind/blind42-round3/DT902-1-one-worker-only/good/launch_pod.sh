#!/bin/bash
set -euo pipefail
NAME=${1:-v4-32-train}
ZONE=us-central2-b

gcloud compute tpus tpu-vm scp --recurse src "$NAME": --zone "$ZONE" --worker=all
gcloud compute tpus tpu-vm ssh "$NAME" --zone "$ZONE" --worker=all \
    --command "pip install -q -r src/requirements.txt"
gcloud compute tpus tpu-vm ssh "$NAME" --zone "$ZONE" \
    --worker=all --command "cd src && python3 train.py --config configs/base.py"
