"""Where do the logs of the ranks part, and what else do they tell? One file a question; rules put it.

ranks/      where ranks part, and how that is told (DT1, DT8)
samples/    who sees which sample, and who draws the same numbers (DT2, DT3)
arrays/     keys, buffers and mapped functions of JAX (DT3, DT4)
steps/      models, gradients, steps and schedules (DT5)
places/     files, figures and logs of many ranks (DT7)
"""
