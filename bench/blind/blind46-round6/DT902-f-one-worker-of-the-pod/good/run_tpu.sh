#!/usr/bin/env bash
set -euo pipefail
NAME="${1:?name of the pod}"
ZONE="${ZONE:-us-central2-b}"

gcloud compute tpus tpu-vm scp --recurse . "$NAME:~/job" --zone="$ZONE" --worker=all
gcloud compute tpus tpu-vm ssh "$NAME" --zone="$ZONE" \
    --worker=all \
    --command "cd ~/job && python3 train.py --steps 1000"
