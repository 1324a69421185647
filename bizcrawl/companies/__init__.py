"""From harvested pages to ranked companies, with the evidence for each rank."""
