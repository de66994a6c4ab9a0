"""How good and how fast is dtlint? Every benchmark is one command: `python -m bench.<name>`."""
