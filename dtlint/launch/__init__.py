"""How is the program started? Launch files (shell, Slurm, YAML, JSON) read into one small model."""
