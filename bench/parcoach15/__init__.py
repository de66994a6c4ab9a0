"""Does dtlint follow values as PARCOACH does in its fifteen micro-benchmarks?"""
