"""Who is this rank, which groups are there, and what do calls between ranks do?"""
