"""Who gets which sample: data sets, samplers, loaders, streams, workers."""
