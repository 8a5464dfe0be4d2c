"""Prints a row of the table of records from its runs, one a line: the figure, and for a ratio the two figures it is made of."""

import statistics
import sys


def text(value):
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


bar, broken, what, relation, limit, unit = sys.argv[1:]
runs = [[float(value) for value in line.split()] for line in sys.stdin if line.strip()]
if not runs:
    sys.exit(f"{what}: no figure")
every = ", ".join(text(run[0]) + (f" ({text(run[1])} : {text(run[2])})" if len(run) > 2 else "") for run in runs)
median = statistics.median(run[0] for run in runs)
verdict = "yes" if (median <= float(limit) if relation == "≤" else median >= float(limit)) else "no"
print(f"| {what} | {every} | {text(median)}{unit} | {relation} {text(float(limit))}{unit} | {verdict} |")
if median > float(bar):
    with open(broken, "a") as file:
        print(f"{what}: {text(median)}, and the bar is {text(float(bar))}", file=file)
