#!/usr/bin/env bash
set -euo pipefail
accelerate launch --config_file conf/two_nodes.yaml --machine_rank "${NODE_RANK:?}" -m project.train "$@"
