"""JAX and what is built on it: mapped functions, keys, arrays on many devices, several hosts."""
