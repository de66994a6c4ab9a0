"""Builtins and the standard library, where their results matter to control flow."""
