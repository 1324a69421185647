"""Small dumps, written out, for the tests of the readers."""

from __future__ import annotations

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<RDF xmlns:r="http://www.w3.org/TR/RDF/" xmlns:d="http://purl.org/dc/elements/1.0/"'
    ' xmlns="http://dmoz.org/rdf/">\n'
)
TAIL = "</RDF>\n"


def topic(category: str, *urls: str, kind: str = "link") -> str:
    """A category with its links."""
    links = "".join(f'  <{kind} r:resource="{url}"></{kind}>\n' for url in urls)
    return f'<Topic r:id="{category}">\n  <catid>7</catid>\n{links}</Topic>\n'


def page(url: str, category: str | None = None, title: str = "T", description: str = "D") -> str:
    """An external page; without a category in the layout before 2003-05-29."""
    where = f"  <topic>{category}</topic>\n" if category is not None else ""
    return (
        f'<ExternalPage about="{url}">\n  <d:Title>{title}</d:Title>\n'
        f"  <d:Description>{description}</d:Description>\n{where}</ExternalPage>\n"
    )


def dump(*records: str) -> bytes:
    """A whole dump."""
    return (HEAD + "".join(records) + TAIL).encode()
