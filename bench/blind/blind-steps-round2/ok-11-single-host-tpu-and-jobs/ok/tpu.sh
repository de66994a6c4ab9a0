#!/bin/bash
set -e
gcloud compute tpus tpu-vm create probe --zone us-central2-b --accelerator-type v4-8 --version tpu-ubuntu2204-base
gcloud compute tpus tpu-vm ssh probe --zone us-central2-b --command "cd job && python3 bench.py"
