"""The questions of the examples, answered by SedonaDB and by DuckDB, from the same files.

Run the examples first, since they write the files; then

    python -m venv venv && venv/bin/pip install -r requirements.txt
    venv/bin/python joins.py

Every run is a process of its own, and prints its answer, so that answers can be compared with those of the examples.
DuckDB's spatial join needs its extension: it is installed from DuckDB's site, or read from the file that
SPATIAL_EXTENSION names. DuckDB checks its signature.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time

FOLDER = tempfile.gettempdir()
RUNS = 3

# Files, the points, the boxes, and what is asked of their pairs.
QUESTIONS = {
    "counties": ("positions-10000000", "counties"),
    "sample": ("positions-100000", "counties"),
    "million": ("points", "boxes"),
}

OF_COUNTIES = ("p.lon", "p.lat", "b.min_lon", "b.min_lat", "b.max_lon", "b.max_lat")
OF_MILLION = ("p.x", "p.y", "b.x0", "b.y0", "b.x1", "b.y1")

PER_COUNTY = """SELECT CAST(sum(n) AS BIGINT), CAST(sum(n * CAST(fips AS BIGINT)) AS BIGINT)
    FROM (SELECT b.fips, count(*) AS n FROM points AS p JOIN boxes AS b ON {on} GROUP BY b.fips)"""
SUMS = """SELECT count(*), CAST(sum(b.id) AS BIGINT), CAST(sum(p.id) AS BIGINT)
    FROM points AS p JOIN boxes AS b ON {on}"""


def file(name):
    return os.path.join(FOLDER, f"quadrille-{name}.parquet")


def query(question, geometries):
    million = question == "million"
    x, y, x0, y0, x1, y1 = OF_MILLION if million else OF_COUNTIES
    if geometries:
        on = f"ST_Intersects(ST_Point({x}, {y}), ST_MakeEnvelope({x0}, {y0}, {x1}, {y1}))"
    else:
        on = f"{x} BETWEEN {x0} AND {x1} AND {y} BETWEEN {y0} AND {y1}"
    return (SUMS if million else PER_COUNTY).format(on=on)


def sedonadb(question, threads):
    import warnings

    warnings.simplefilter("ignore")
    import sedonadb

    context = sedonadb.connect()
    context.sql(f"SET datafusion.execution.target_partitions = {threads}").execute()
    points, boxes = QUESTIONS[question]
    context.read_parquet(file(points)).to_view("points")
    context.read_parquet(file(boxes)).to_view("boxes")
    return lambda: [list(row.values()) for row in context.sql(query(question, True)).to_arrow_table().to_pylist()]


def duckdb(question, threads, geometries):
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"SET threads = {threads}")
    if geometries:
        extension = os.environ.get("SPATIAL_EXTENSION")
        if not extension:
            connection.execute("INSTALL spatial")
        connection.execute(f"LOAD '{extension or 'spatial'}'")
    points, boxes = QUESTIONS[question]
    connection.execute(f"CREATE VIEW points AS FROM '{file(points)}'")
    connection.execute(f"CREATE VIEW boxes AS FROM '{file(boxes)}'")
    return lambda: connection.execute(query(question, geometries)).fetchall()


ENGINES = {
    "sedonadb": sedonadb,
    "duckdb-spatial": lambda question, threads: duckdb(question, threads, True),
    "duckdb": lambda question, threads: duckdb(question, threads, False),
}

# DuckDB's join on inequalities is not made for four of them: it gets the sample only.
PLAN = [
    (engine, question, threads)
    for engine in ("sedonadb", "duckdb-spatial")
    for question in ("counties", "million")
    for threads in (1, 2)
] + [("duckdb", "sample", 1), ("sedonadb", "sample", 1)]


def measure(engine, question, threads):
    import pyarrow.parquet

    run = ENGINES[engine](question, threads)
    rows = pyarrow.parquet.read_metadata(file(QUESTIONS[question][0])).num_rows
    least = None
    for _ in range(RUNS):
        wall, processor = time.perf_counter(), time.process_time()
        answer = run()
        took = (time.process_time() - processor, time.perf_counter() - wall)
        least = min(least or took, took)
    processor, wall = least
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{engine:<15} {question:<9} {threads} threads: {wall:7.2f} s, {processor:7.2f} s of processor time, "
        f"{processor / rows * 1e9:6.0f} ns a point, peak of the process {peak:6.0f} MiB, {answer}",
        flush=True,
    )


if __name__ == "__main__":
    if len(sys.argv) == 4:
        measure(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        for engine, question, threads in PLAN:
            subprocess.run([sys.executable, __file__, engine, question, str(threads)], check=False)
