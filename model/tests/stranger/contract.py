"""A backend written from docs/contract.md alone, in plain Python: it rebuilds the jobs of ../golden.rs and compares
their hashes with ../golden/contract-v1.txt. One line a job, `name ok` or `name DIFFERENT labels ...`.

§ numbers are those of the contract. Python's exp and log stand in for the pinned libm: their last place may differ,
which matters only if (2^p_bits − 1)·exp(−Es/T) is next to an integer. `weights` refuses such a case instead of guessing
(none occurs in these jobs).
"""

import hashlib
import math
import pathlib
import struct
import sys
from collections import Counter, namedtuple

MASK = 0xFFFFFFFF
RANDOM_START = 2**24 - 1

Hardware = namedtuple("Hardware", "energy_bits p_bits u_bits count_bits weights", defaults=(8, 8, 24, 8, "pow2"))
# s[i][l] (§3, capped), v[l][m] (§3, capped), fixed[i], edges[2i] to the right and edges[2i + 1] down
Problem = namedtuple("Problem", "width height labels s v alpha beta shift fixed edges", defaults=(None,))
Run = namedtuple("Run", "schedule burn_in seed chain start cutoff", defaults=(1, 0, "argmin", None))


# §3: energy

def difference(form, d):
    return {"abs": abs(d), "squared": d * d}[form]


def stereo_offsets(labels, dmin):
    return [(-(label + dmin), 0) for label in range(labels)]


def window_offsets(side):
    r = (side - 1) // 2
    return [(label % side - r, label // side - r) for label in range(side * side)]


def line_vectors(labels):
    return [(label, 0) for label in range(labels)]


def singleton_pixels(form, width, height, first, second, offsets, data_cap, s_outside):
    def s(x, y, dx, dy):
        if not (0 <= x + dx < width and 0 <= y + dy < height):
            return s_outside
        return min(difference(form, first[y * width + x] - second[(y + dy) * width + x + dx]), data_cap)

    return [[s(x, y, dx, dy) for dx, dy in offsets] for y in range(height) for x in range(width)]


def singleton_values(form, first, values, data_cap):
    return [[min(difference(form, s1 - s2), data_cap) for s2 in values] for s1 in first]


def singleton_table(costs, labels, data_cap):
    return [[min(cost, data_cap) for cost in costs[i : i + labels]] for i in range(0, len(costs), labels)]


def pair_vectors(form, vectors, cap):
    return [[min(difference(form, a - c) + difference(form, b - d), cap) for c, d in vectors] for a, b in vectors]


def pair_potts(labels, cap):
    return [[0 if own == other else cap for other in range(labels)] for own in range(labels)]


def pair_table(table, labels, cap):
    return [[min(v, cap) for v in table[own * labels : (own + 1) * labels]] for own in range(labels)]


def neighbours(width, height, i):
    x, y = i % width, i // width
    around = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
    return [b * width + a for a, b in around if 0 <= a < width and 0 <= b < height]


def edge(problem, i, n):
    if problem.edges is None:
        return 1
    x, y = min(i, n) % problem.width, min(i, n) // problem.width
    right = problem.width > 1 and max(i, n) == y * problem.width + x + 1
    return problem.edges[2 * min(i, n) + (0 if right else 1)]


def energies(problem, ceiling, i, around, labels):
    row = problem.s[i]
    columns = [problem.v[own] for own in range(problem.labels)]
    seen = [(labels[n], edge(problem, i, n)) for n in around]
    return [
        min(
            (problem.alpha * row[own] + problem.beta * sum(w * columns[own][m] for m, w in seen)) >> problem.shift,
            ceiling,
        )
        for own in range(problem.labels)
    ]


# §4: weights, for every Es

def weights(hardware, temperature, cutoff):
    table = []
    for es in range(2**hardware.energy_bits):
        real = (2**hardware.p_bits - 1) * math.exp(-es / temperature)
        if es > 0 and abs(real - max(1, round(real))) < 1e-12 * real:
            raise ArithmeticError(f"the last place of exp(-{es}/{temperature}) may decide")
        p = math.floor(real)
        w = p if hardware.weights == "linear" else 2 ** (p.bit_length() - 1) if p > 0 else 0
        if cutoff is not None and w * cutoff <= 2 ** (hardware.p_bits - 1):
            w = 0
        table.append(w)
    return table


# §5: random numbers and sampling

def threefry(key, counter):
    parity = 0x1BD11BDA ^ key[0] ^ key[1]
    keys = (key[0], key[1], parity)
    a, b = (counter[0] + keys[0]) & MASK, (counter[1] + keys[1]) & MASK
    for number in range(13):
        rotation = (13, 15, 26, 6, 17, 29, 16, 24)[number % 8]
        a = (a + b) & MASK
        b = ((b << rotation | b >> (32 - rotation)) & MASK) ^ a
        if number % 4 == 3:
            injection = number // 4 + 1
            a = (a + keys[injection % 3]) & MASK
            b = (b + keys[(injection + 1) % 3] + injection) & MASK
    return a, b


def uniform(hardware, run, x, y, iteration):
    counter = (y * 2**15 + (x >> 2) * 2 + ((x + y) & 1), run.chain * 2**24 + iteration)
    word = threefry((run.seed & MASK, run.seed >> 32), counter)[(x >> 1) & 1]
    return word >> (32 - hardware.u_bits)


def pick(hardware, w, u):
    r = (u * sum(w)) >> hardware.u_bits
    for label, weight in enumerate(w):
        r -= weight
        if r < 0:
            return label
    raise AssertionError("no label exceeds r")


# §6: run

def anneal(t0, t1, steps, iterations):
    rate = math.log(t1 / t0)
    inner = [t0 * math.exp(rate * i / (steps - 1)) for i in range(1, steps - 1)]
    block = iterations // steps
    return list(zip([t0, *inner, t1], [block] * (steps - 1) + [iterations - block * (steps - 1)]))


def default_burn_in(schedule):
    return sum(n for _, n in schedule[:-1]) if len(schedule) > 1 else schedule[0][1] // 2


def start(hardware, problem, run):
    if run.start == "zero":
        return [0] * len(problem.s)
    if run.start == "argmin":
        return [row.index(min(row)) for row in problem.s]
    u = (uniform(hardware, run, i % problem.width, i // problem.width, RANDOM_START) for i in range(len(problem.s)))
    return [(value * problem.labels) >> hardware.u_bits for value in u]


class Pairs:
    """§7: the two pairs of one RV."""

    def __init__(self):
        self.first, self.second = (0, 0), (0, 0)

    def enter(self, label, full, send):
        if label == self.second[0] and label != self.first[0]:
            self.first, self.second = self.second, self.first
        if label == self.first[0]:
            count = self.first[1]
            if count == full:
                send(label, full)
                count = 0
            self.first = (label, count + 1)
        else:
            send(*self.second)
            self.first, self.second = (label, 1), self.first


def execute(hardware, problem, run):
    labels = start(hardware, problem, run)
    size, width = len(labels), problem.width
    around = [neighbours(width, problem.height, i) for i in range(size)]
    free = [i for i in range(size) if not problem.fixed[i]]
    order = sorted(free, key=lambda i: (i % width + i // width) & 1)  # black, then white
    ceiling = 2**hardware.energy_bits - 1
    pairs, messages, iteration = {i: Pairs() for i in free}, [], 0

    def sender(i):
        return lambda label, count: messages.append((i, label, count)) if count > 0 else None

    for temperature, repeats in run.schedule:
        table = weights(hardware, temperature, run.cutoff)
        for iteration in range(iteration, iteration + repeats):
            for i in order:
                e = energies(problem, ceiling, i, around[i], labels)
                least = min(e)
                u = uniform(hardware, run, i % width, i // width, iteration)
                labels[i] = pick(hardware, [table[value - least] for value in e], u)
                if iteration >= run.burn_in:
                    pairs[i].enter(labels[i], 2**hardware.count_bits - 1, sender(i))
        iteration += 1
    for i in free:
        for pair in (pairs[i].first, pairs[i].second):
            sender(i)(*pair)

    histogram = Counter()
    for i, label, count in messages:
        histogram[i, label] += count
    for i in set(range(size)) - set(free):
        histogram[i, labels[i]] = iteration - run.burn_in
    return labels, [histogram[i, label] for i in range(size) for label in range(problem.labels)], messages


# §8: hashes

def hashes(labels, histogram, messages):
    data = (
        bytes(labels),
        struct.pack(f"<{len(histogram)}H", *histogram),
        b"".join(struct.pack("<IBI", *message) for message in sorted(messages)),
    )
    return [hashlib.sha256(one).hexdigest() for one in data]


# The jobs of golden.rs

def sample(i, salt):
    h = (i * 2_654_435_761 + salt * 40_503) & MASK
    h = ((h ^ h >> 15) * 2_246_822_519) & MASK
    return (h ^ h >> 13) >> 16 & 255


def samples(n, salt, bits):
    return [sample(i, salt) >> (8 - bits) for i in range(n)]


def grid(width, height, labels):
    n = width * height
    s = singleton_pixels(
        "abs", width, height, samples(n, 1, 8), samples(n, 2, 8), stereo_offsets(labels, 0), data_cap=40, s_outside=47
    )
    return Problem(width, height, labels, s, pair_vectors("abs", line_vectors(labels), 2), 1, 8, 0, [False] * n)


def settings(schedule, **others):
    return Run(schedule, **{"burn_in": default_burn_in(schedule), **others})


def jobs():
    default = Hardware()
    yield "stereo", default, grid(61, 37, 16), settings(anneal(20.0, 6.0, 5, 40))
    yield "one-rv", default, grid(1, 1, 2), settings([(3.0, 9)])
    everything = settings([(30.0, 60)], burn_in=0, seed=2**64 - 1)
    yield "saturating-counters", Hardware(count_bits=3), grid(13, 9, 3), everything

    n, window = 24 * 20, window_offsets(15)
    s = singleton_pixels("squared", 24, 20, samples(n, 3, 8), samples(n, 4, 8), window, data_cap=9000, s_outside=700)
    flow = Problem(24, 20, 225, s, pair_vectors("squared", window, 50), 3, 41, 2, [False] * n)
    random = settings(anneal(900.0, 60.0, 6, 20), start="random", chain=255)
    yield "flow-15x15-squared", Hardware(energy_bits=12), flow, random

    n = 30 * 17
    s = singleton_values("squared", samples(n, 5, 6), [3, 20, 41, 60], data_cap=900)
    segment = Problem(30, 17, 4, s, pair_potts(4, 20), 1, 9, 3, [sample(i, 6) < 40 for i in range(n)])
    zero = settings(anneal(60.0, 20.0, 5, 30), start="zero", cutoff=4)
    yield "segment-linear-evidence", Hardware(energy_bits=10, weights="linear"), segment, zero

    s = singleton_table([sample(i, 7) for i in range(11 * 14 * 7)], 7, data_cap=100)
    v = pair_table([0 if i % 8 == 0 else sample(i, 8) % 9 for i in range(49)], 7, cap=7)
    table = Problem(11, 14, 7, s, v, 1, 8, 0, [False] * (11 * 14))
    yield "tables-reheated", default, table, settings([(30.0, 5), (6.0, 5), (40.0, 4), (12.0, 6)])

    n = 16 * 12
    s = singleton_values("abs", samples(n, 9, 3), [0, 0, 2, 3, 3, 5, 6, 6, 7], data_cap=4)
    ties = Problem(16, 12, 9, s, pair_vectors("abs", line_vectors(9), 2), 1, 8, 0, [False] * n)
    yield "cut-off-and-ties", default, ties, settings([(4.0, 3)], burn_in=0, cutoff=4)

    weighted = grid(29, 23, 16)._replace(beta=1, edges=samples(2 * 29 * 23, 10, 4))
    yield "edge-weights", default, weighted, settings(anneal(20.0, 6.0, 5, 40))

    s = singleton_table([257 * sample(i, 11) for i in range(33 * 5)], 5, data_cap=65535)
    v = pair_vectors("squared", line_vectors(5), cap=255)
    fixed = [i % 7 == 3 for i in range(33)]
    column = Problem(1, 33, 5, s, v, 255, 255, 9, fixed, samples(2 * 33, 12, 4))
    hot = settings(anneal(9000.0, 900.0, 5, 30), start="random")
    yield "edge-weights-column", Hardware(energy_bits=16), column, hot


def expected():
    path = pathlib.Path(__file__).resolve().parent.parent / "golden" / "contract-v1.txt"
    lines = path.read_text(encoding="utf-8").split("\n")
    words = " ".join(line for line in lines if not line.startswith("#")).split()
    return {words[i]: words[i + 1 : i + 4] for i in range(0, len(words), 4)}


def main():
    answers = threefry((0, 0), (0, 0)) + threefry((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3))
    assert answers == (0x9D1C5EC6, 0x8BD50731, 0xBA3E4725, 0xF27D669E), "the known answers of Threefry (§5)"
    wanted, wrong = expected(), False
    for name, hardware, problem, run in jobs():
        got = hashes(*execute(hardware, problem, run))
        known = wanted.pop(name, [None] * 3)
        parts = [part for part, a, b in zip(("labels", "histogram", "messages"), got, known) if a != b]
        print(name, "DIFFERENT " + " ".join(parts) if parts else "ok", flush=True)
        wrong = wrong or bool(parts)
    for name in wanted:
        print(name, "DIFFERENT not rebuilt")
    return 1 if wrong or wanted else 0


if __name__ == "__main__":
    sys.exit(main())
