"""Models, gradients and steps. (DT5)"""
