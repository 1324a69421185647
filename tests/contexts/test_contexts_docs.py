"""The snippets of docs/contexts.md do what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs" / "contexts.md"
SNIPPETS = re.findall(r"```python\n(.*?)```\n\nprints\n\n```text\n(.*?)```", DOCS.read_text(), re.DOTALL)


@pytest.mark.parametrize(("code", "output"), SNIPPETS)
def test_a_snippet_prints_what_the_docs_say(
    code: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(compile(code, str(DOCS), "exec"), {})
    assert capsys.readouterr().out == output


def test_every_python_snippet_is_run() -> None:
    assert len(SNIPPETS) == DOCS.read_text().count("```python") == 3
