import logging
import platform

import jax

log = logging.getLogger("run")


def header(name):
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    log.info("%s on %s, jax %s", name, platform.node(), jax.__version__)


def describe_accelerators():
    kinds = {}
    for device in jax.devices():
        kinds[device.device_kind] = kinds.get(device.device_kind, 0) + 1
    log.info("accelerators: %s", kinds)
