"""Programs drawn at random, played by four ranks to learn whether they may part, and checked."""
