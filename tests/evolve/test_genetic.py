"""The genetic search: genes and weights, roulette, crossover, mutation, survival (R126, A32)."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from testbed.evolve.genetic import (
    GENE_BITS,
    Breeding,
    Individual,
    first_generation,
    genes_of,
    offspring,
    survivors,
    weights_of,
)

BREEDING = Breeding(population=10)


def test_nine_weights_are_sixty_three_bits() -> None:
    first = first_generation(9, Random(1), Breeding())
    assert len(first) == 50
    assert {len(genes) for genes in first} == {63}


def test_seven_bits_spell_zero_to_127() -> None:
    assert weights_of((0,) * 7 + (1,) * 7 + (0, 0, 0, 0, 0, 1, 0)) == [0, 127, 2]


@given(st.lists(st.integers(0, 127), max_size=8).map(lambda numbers: [*numbers, 127]))
def test_genes_and_weights_are_two_spellings(numbers: list[int]) -> None:
    assert weights_of(genes_of([float(n) for n in numbers])) == numbers


def test_first_generation_is_all_different_and_never_all_zero() -> None:
    tiny = first_generation(1, Random(3), Breeding(population=127))
    assert len(set(tiny)) == 127
    assert all(any(genes) for genes in tiny)


def test_children_are_new_and_as_many_as_the_population() -> None:
    rng = Random(2)
    parents = [Individual(genes, 0.1) for genes in first_generation(3, rng, BREEDING)]
    known = {one.genes for one in parents}
    before = set(known)
    children = offspring(parents, known, rng, BREEDING)
    assert len(children) == len(set(children)) == 10
    assert not set(children) & before
    assert known == before | set(children)


def test_one_point_crossover_joins_the_head_of_one_with_the_tail_of_the_other() -> None:
    ones, zeros = (1,) * 70, (0,) * 69 + (1,)
    parents = [Individual(ones, 0.5), Individual(zeros, 0.5)]
    breeding = Breeding(population=40, crossover=1.0, mutation=0.0)
    children = offspring(parents, {ones, zeros}, Random(4), breeding)
    # a child whose parents were one and the same is flipped in single places; the others change value once
    crossed = [child for child in children if 10 < sum(child) < 60]
    assert len(crossed) >= 8
    assert all(sum(a != b for a, b in pairwise(child[:-1])) == 1 for child in crossed)


def test_parents_are_chosen_in_proportion_to_their_fitness() -> None:
    good, poor = (1,) + (0,) * 69, (0,) * 69 + (1,)
    breeding = Breeding(population=2000, crossover=0.0, mutation=0.0)
    children = offspring([Individual(good, 0.9), Individual(poor, 0.1)], set(), Random(5), breeding)
    heads = Counter(child[0] for child in children[:200])
    assert heads[1] > 2 * heads[0]


def test_a_population_without_fitness_breeds_all_the_same() -> None:
    rng = Random(6)
    parents = [Individual(genes, 0.0) for genes in first_generation(2, rng, BREEDING)]
    assert len(offspring(parents, {p.genes for p in parents}, rng, BREEDING)) == 10


def test_the_best_half_of_both_generations_survives() -> None:
    old = [Individual((1, n % 2, 1), fitness) for n, fitness in enumerate((0.1, 0.9, 0.5))]
    new = [Individual((0, n % 2, 1), fitness) for n, fitness in enumerate((0.5, 0.8, 0.2))]
    kept = survivors(old, new, Breeding(population=3))
    assert [one.fitness for one in kept] == [0.9, 0.8, 0.5]
    assert kept[2] in old, "of equals those that were there first"


@pytest.mark.parametrize("seed", range(3))
def test_the_best_are_never_lost_and_a_simple_goal_is_reached(seed: int) -> None:
    rng = Random(seed)

    def fitness(genes: tuple[int, ...]) -> float:
        first, second, third = weights_of(genes)
        return (first + (127 - second) + third) / 381

    population = survivors(
        (), [Individual(g, fitness(g)) for g in first_generation(3, rng, BREEDING)], BREEDING
    )
    known = {one.genes for one in population}
    best = [population[0].fitness]
    for _ in range(40):
        children = offspring(population, known, rng, BREEDING)
        population = survivors(population, [Individual(g, fitness(g)) for g in children], BREEDING)
        best.append(population[0].fitness)
    assert best == sorted(best)
    assert best[-1] > 0.9
    assert len(known) == 10 * 41, "never the same genes twice"
    assert GENE_BITS == 7
