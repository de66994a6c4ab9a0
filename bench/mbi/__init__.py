"""Does dtlint tell correct from incorrect collective orderings, as MBI asks of MPI verifiers?"""
