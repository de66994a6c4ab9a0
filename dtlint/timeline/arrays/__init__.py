"""What happens to keys, buffers and mapped functions of JAX? (DT3, DT4)"""
