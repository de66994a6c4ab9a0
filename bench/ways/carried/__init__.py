"""Ways by which Python hands a thing on: each function gives what it was given, past another thing that goes elsewhere."""
