import csv

with open(input("Table: ")) as f:
    rows = list(csv.DictReader(f))
print("readings:", len(rows))
print("mean:", round(sum(float(row["degrees"]) for row in rows) / len(rows), 2))
