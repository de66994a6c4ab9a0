"""Generators of random numbers: who seeds them, who draws, and do the ranks agree?"""
