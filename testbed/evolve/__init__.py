"""Evolving rank functions: a genetic search over simulated crawls of recorded webs (R119–R132).

`search` breeds weights, `evaluation` crawls with them, `comparison` says what they are worth on topics that
the search never saw. The strategy that uses them on the live Web is `bizcrawl.strategies.evolved`.
"""
