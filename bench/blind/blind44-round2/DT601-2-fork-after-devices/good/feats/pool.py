import multiprocessing as mp

from feats.extract import spectrum


def extract_all(paths, workers):
    with mp.get_context("spawn").Pool(workers) as pool:
        return pool.map(spectrum, paths)
