"""How do files belong together? Imports resolved, and those chosen that can have to do with ranks."""
