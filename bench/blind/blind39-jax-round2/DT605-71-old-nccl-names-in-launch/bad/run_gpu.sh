#!/usr/bin/env bash
set -euo pipefail
export COORDINATOR=${COORDINATOR:?}
export XLA_PYTHON_CLIENT_PREALLOCATE=false
export XLA_RENDEZVOUS_WAIT_SECONDS=600
export NCCL_DEBUG=WARN
exec python train.py "$@"
