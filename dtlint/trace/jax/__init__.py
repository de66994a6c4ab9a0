"""The JAX half of a traced run: programs read as jaxprs, devices and hosts played in lockstep."""
