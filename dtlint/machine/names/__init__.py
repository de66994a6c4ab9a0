"""What do names, attributes and items stand for, and what is an expression worth?"""
