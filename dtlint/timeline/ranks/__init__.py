"""Where do ranks part, and how is that told? (DT1, DT8)"""
