"""Internationalised host names: what people read, and what stays as it is registered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bizcrawl.idn import spelled


@pytest.mark.parametrize(
    ("registered", "read"),
    [
        ("https://www.xn--bcher-kva.example/x", "https://www.bücher.example/x"),
        ("http://xn--p8jtd0f270vt0b.jp:80/?a=xn--b", "http://うどん機械.jp:80/?a=xn--b"),
        ("xn--e1aghcngm.xn--p1ai", "лесопил.рф"),
        ("http://larch.example/xn--bcher-kva", "http://larch.example/xn--bcher-kva"),
        ("host.example/~xn--b", "host.example/~xn--b"),
    ],
)
def test_the_labels_of_a_host_are_shown_as_people_read_them(registered: str, read: str) -> None:
    assert spelled(registered) == read


@pytest.mark.parametrize(
    "host",
    [
        "xn--80ak6aa92e.com",  # apple in Cyrillic letters
        "xn--pypal-4ve.com",  # one Cyrillic letter among Latin ones
        "xn--a.com",  # decodes to nothing
        "xn--zz zz",
    ],
)
def test_a_host_that_could_be_taken_for_another_stays_as_it_is_registered(host: str) -> None:
    assert spelled(host) == host


@given(st.text())
def test_nothing_raises(text: str) -> None:
    spelled(text)
    spelled(f"http://xn--{text}")
