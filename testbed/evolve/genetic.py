"""A small genetic algorithm over rank weights, as the paper has it (R126, A32).

Each weight is a gene of seven bits, 0 to 127. Parents are chosen by roulette on fitness, crossed at one
point with probability 0.90, and one random bit of a child is flipped with probability 0.01. Each generation
doubles the population and keeps the best half, so the best are never lost (after Eshelman's CHC). No genes
are tried twice: a child that was there before is flipped until it is new, which also keeps the population
from becoming one individual.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

GENE_BITS = 7
Genes = tuple[int, ...]
"""Bits of all weights, the greatest of each first."""


@dataclass(frozen=True, slots=True)
class Breeding:
    """Parameters of the search."""

    population: int = 50
    crossover: float = 0.90
    mutation: float = 0.01
    """Chance that one random bit of a child is flipped: by individual, as the prose has it (A32)."""


@dataclass(frozen=True, slots=True)
class Individual:
    """Genes and what they are worth."""

    genes: Genes
    fitness: float


def weights_of(genes: Genes) -> list[int]:
    """The whole numbers that the bits spell; they count by their ratios alone (eq. 2)."""
    return [int("".join(map(str, genes[i : i + GENE_BITS])), base=2) for i in range(0, len(genes), GENE_BITS)]


def genes_of(weights: Sequence[float]) -> Genes:
    """The genes nearest to some weights, the greatest of which becomes 127."""
    top = max(weights)
    numbers = [round(weight / top * (2**GENE_BITS - 1)) for weight in weights]
    return tuple(int(bit) for number in numbers for bit in f"{number:0{GENE_BITS}b}")


def first_generation(weights: int, rng: Random, breeding: Breeding) -> list[Genes]:
    """Uniform random bits, all different; all zero is no rank function and is drawn again (A32)."""
    drawn: dict[Genes, None] = {}
    while len(drawn) < breeding.population:
        genes = tuple(rng.choices((0, 1), k=weights * GENE_BITS))
        if any(genes):
            drawn[genes] = None
    return list(drawn)


def offspring(
    parents: Sequence[Individual], known: set[Genes], rng: Random, breeding: Breeding
) -> list[Genes]:
    """As many children as the population has members, none of them known before; `known` learns of them."""
    children: list[Genes] = []
    # all-zero fitness leaves roulette no share to go by: then all parents are alike
    shares = [p.fitness for p in parents] if any(p.fitness for p in parents) else [1.0] * len(parents)
    while len(children) < breeding.population:
        first, second = (p.genes for p in rng.choices(parents, shares, k=2))
        if rng.random() < breeding.crossover:
            point = rng.randint(0, len(first))
            first, second = first[:point] + second[point:], second[:point] + first[point:]
        for child in (first, second)[: breeding.population - len(children)]:
            if rng.random() < breeding.mutation:
                child = _flip(child, rng)
            while child in known or not any(child):
                child = _flip(child, rng)
            known.add(child)
            children.append(child)
    return children


def survivors(old: Sequence[Individual], new: Sequence[Individual], breeding: Breeding) -> list[Individual]:
    """The best of both generations, best first; of equals those that were there first."""
    return sorted((*old, *new), key=lambda one: -one.fitness)[: breeding.population]


def _flip(genes: Genes, rng: Random) -> Genes:
    place = rng.randrange(len(genes))
    return (*genes[:place], 1 - genes[place], *genes[place + 1 :])
