"""The collection: everything that a crawl found, in one DuckDB file.

One process writes it (`writer.Collection`), each page with its links and the calls to the strategy in one
transaction; what was acknowledged survives a kill. Anyone reads it with SQL (`reader.open_reader`), also
while it is being written: then the writer answers. What `resume` needs to go on is read back by
`resume.read_resumption`.
"""
