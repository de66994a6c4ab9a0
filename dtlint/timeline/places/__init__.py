"""Who writes, reads and tells what, and where? (DT7)"""
