"""The torch half of a traced run. Runs inside the user's Python; nothing here is imported by `dtlint check`."""
