while True:
    try:
        table = open(input("Table: ")).readlines()
        break
    except OSError:
        print("There is no such table.")

total = 0
for line in table[1:]:
    total += float(line.split(",")[1])
print("readings:", len(table) - 1)
if len(table) > 1:
    print("mean:", total // (len(table) - 1))
