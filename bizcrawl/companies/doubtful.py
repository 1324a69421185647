"""What a reader of the ranking should know: what is not in it, and which seeds seem to be no companies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bizcrawl.companies.assess import Assessment
from bizcrawl.companies.site_keys import site_of
from bizcrawl.companies.site_kinds import SiteKind
from bizcrawl.topic import Topic

NOTHING_FOR = "nothing speaks for it"


def not_ranked(assessment: Assessment) -> Counter[str]:
    """Sites that were met and are not ranked, by what each is held to be.

    Known companies, rejected ones and second sites of a company are none of them.
    """
    told = {domain for company in assessment.companies for domain in company.domains}
    return Counter(
        NOTHING_FOR if verdict.may_be_company else verdict.kind
        for key, verdict in assessment.verdicts.items()
        if key not in told
    )


def doubts_about_seeds(assessment: Assessment, topic: Topic) -> Iterator[str]:
    """A line for each doubt about the seeds: each site of several seeds, each seed that leads to another site
    (of a company that has bought it, say), and each seed that is held not to be a company. The ranking takes
    each site for one known company all the same.
    """
    times_of = Counter(map(site_of, dict.fromkeys(topic.seeds)))
    for site, times in times_of.items():
        if times > 1:
            yield f"{times} seeds are one site and count as one company: {site}"
    for company in assessment.companies:
        moved = [domain for domain in company.domains[1:] if company.is_seed and domain in times_of]
        for domain in moved:
            yield f"a seed that leads to another site: {domain}, to {company.name}, {company.company}"
        verdict = assessment.verdicts[company.company]
        if company.is_seed and not verdict.may_be_company and verdict.kind is not SiteKind.DEAD:
            why = "; ".join(verdict.reasons[:2])
            yield f"a seed that seems to be no company: {company.company}, {verdict.kind} ({why})"
