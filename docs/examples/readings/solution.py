def read(name):
    """Return the readings in a table."""
    with open(name, encoding='utf-8') as table:
        next(table)
        return [float(line.split(',')[1]) for line in table]


def ask():
    """Return the readings in the table that somebody names, who is asked until there is one."""
    while True:
        try:
            return read(input('Table: '))
        except FileNotFoundError:
            print('There is no such table.')


readings = ask()
print('readings:', len(readings))
if readings:
    print('mean:', sum(readings) / len(readings))
