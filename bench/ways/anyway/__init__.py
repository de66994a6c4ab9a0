"""Ways by which ranks differ and still make the same call: each function makes it once, whatever is given."""
