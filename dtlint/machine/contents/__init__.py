"""What do values hold: containers item by item, numbers and what is known of them, texts, nothing?"""
