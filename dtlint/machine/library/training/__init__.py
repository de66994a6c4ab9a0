"""Models, what wraps them, what happens between two steps, and trainers that own the loop."""
