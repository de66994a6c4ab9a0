"""Where do the logs of the ranks part, and what else do they tell? One file a question; rules put it."""
