import multiprocessing as mp


def encode(line):
    return [min(ord(c), 255) for c in line.strip()][:128]


def encode_all(lines, workers):
    with mp.get_context("fork").Pool(workers) as pool:
        return pool.map(encode, lines, chunksize=256)
