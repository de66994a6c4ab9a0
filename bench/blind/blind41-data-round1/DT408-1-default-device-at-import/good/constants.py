import numpy as jnp

MEAN = jnp.asarray([0.485, 0.456, 0.406])
STD = jnp.asarray([0.229, 0.224, 0.225])


def normalise(images):
    return (images - MEAN) / STD
