"""Who sees which sample, in which order, and who draws the same numbers? (DT2, DT3)"""
