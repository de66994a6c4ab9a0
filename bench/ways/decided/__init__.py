"""Ways by which Python lets a call happen: each function makes the call if what is given is true, and only then."""
