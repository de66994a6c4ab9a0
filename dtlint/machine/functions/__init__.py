"""What happens at a call of a function or class of the project, and is it followed at all?"""
