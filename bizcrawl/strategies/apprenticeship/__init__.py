"""What the apprentice (`bizcrawl.strategies.apprentice`) learns from, remembers and values by."""
