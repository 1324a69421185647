"""A small business web that the product makes itself: for trying it out (``--web demo``) and for tests.

Some 160 invented companies of seven businesses, with the associations, fairs, directories, papers, blogs,
markets and false hubs around them, and the faults that the real Web has. Nothing on it is real; hosts end
in ``.example``.
"""

from __future__ import annotations

from testbed.demo.topics import DemoCompany, demo_companies, demo_topics
from testbed.demo.web import DEFAULT_SEED, DemoWeb, World, build_world

__all__ = ["DEFAULT_SEED", "DemoCompany", "DemoWeb", "World", "build_world", "demo_companies", "demo_topics"]
