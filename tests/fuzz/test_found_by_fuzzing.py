"""What the fuzzers found, each as an example of its own."""

from __future__ import annotations

import pytest

from bizcrawl.urls import host_of, key_of, parse


@pytest.mark.parametrize("text", ["https://./x", "//@@.%2e", "http://../"])
def test_a_host_of_dots_alone_is_no_host(text: str) -> None:
    assert parse(text, "https://one.example/") is None


@pytest.mark.parametrize("url", ["https://.0x7f.1../", "http://1../", "http://a../x", "http://1.2../"])
def test_a_key_is_made_of_hosts_with_empty_labels_too_and_names_the_same_host(url: str) -> None:
    assert host_of(key_of(url)) == host_of(url)
    assert key_of(key_of(url)) == key_of(url)


def test_the_dot_of_the_root_goes() -> None:
    assert key_of("http://one.example./x") == "http://one.example/x"
