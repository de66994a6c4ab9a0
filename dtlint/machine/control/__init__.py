"""Who goes where: statements, branches, loops, what is raised and caught, `with`."""
