"""The crawler and what it finds."""

__version__ = "0.1.0"
