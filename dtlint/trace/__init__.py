"""What happens when a few ranks really run? The program runs as a process of its own; nothing here does for `check`."""
