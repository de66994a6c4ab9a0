from plug import timers  # noqa: F401
from plug.base import Plugin

LEAD_ONLY = {"banner"}


def select(names, env):
    wanted = [n for n in names if env.lead or n not in LEAD_ONLY]
    return [Plugin.registry[n](env) for n in wanted]
