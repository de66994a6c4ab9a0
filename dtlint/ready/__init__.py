"""Is a program ready to run on many processes? A check-list out of findings, facts and launch files."""
