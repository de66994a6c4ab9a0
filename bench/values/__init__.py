"""Ordinary Python on known values: does the machine believe what Python says?"""
