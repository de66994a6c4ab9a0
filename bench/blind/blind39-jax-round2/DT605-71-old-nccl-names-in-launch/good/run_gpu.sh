#!/usr/bin/env bash
set -euo pipefail
export COORDINATOR=${COORDINATOR:?}
export XLA_PYTHON_CLIENT_PREALLOCATE=false
export XLA_FLAGS="--xla_gpu_first_collective_call_warn_stuck_timeout_seconds=600"
export NCCL_DEBUG=WARN
exec python train.py "$@"
