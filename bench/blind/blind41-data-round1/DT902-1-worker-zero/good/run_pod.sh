#!/bin/bash
set -e
TPU=llm-v4-64
ZONE=us-central2-b

gcloud compute tpus tpu-vm scp --worker=all --zone "$ZONE" --recurse src "$TPU:~/src"
gcloud compute tpus tpu-vm ssh "$TPU" --zone "$ZONE" --worker=all --command "pip install -q -r src/requirements.txt"
gcloud compute tpus tpu-vm ssh "$TPU" --zone "$ZONE" --worker=all --command "cd src && python3 train.py --config base"
