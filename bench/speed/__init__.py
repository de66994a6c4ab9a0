"""How long does dtlint take, and how much memory, on two trees of pinned packages?"""
