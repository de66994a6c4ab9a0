def windows(loader, size):
    """Lists of `size` batches; the rest of the epoch is left out."""
    held = []
    for batch in loader:
        held.append(batch)
        if len(held) == size:
            yield held
            held = []
