"""The Open Directory's dumps, read in one pass at flat memory.

The dumps were never quite XML, let alone RDF: bytes that are no UTF-8, control characters, bare ampersands,
entities that only HTML knows, and two layouts (before and after 2003-05-29, A37). `stream` cuts a file of
any size and compression into chunks of whole records, `repair` makes a chunk well-formed and says what it
did on which line, `content` and `structure` turn chunks into rows, `load` brings the rows into DuckDB. A
repair never turns one URL into another: inside a URL what cannot stand is percent-encoded, never dropped or
guessed.
"""
