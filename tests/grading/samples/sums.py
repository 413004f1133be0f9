"""An assignment of one's own, which no model plays: numbers are read up to `stop`, and added."""

print('Welcome to Sums')
total = 0
for line in iter(input, 'stop'):
    total += int(line)
    print('Half more:', int(line) * 1.5)
print('All in all:', total)
