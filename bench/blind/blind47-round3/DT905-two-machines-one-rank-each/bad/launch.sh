#!/usr/bin/env bash
accelerate launch --config_file conf/accelerate.yaml train.py
