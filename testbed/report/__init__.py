"""Reports of experiments: tables, tests and curves, as one HTML file or as Markdown with SVG files beside
it.
"""
