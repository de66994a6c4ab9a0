import jax

from sched.step import step

AXIS = "rep"


def compile_step(devices):
    return jax.pmap(step, axis_name=AXIS, in_axes=(0, 0, 0, None), devices=devices)
