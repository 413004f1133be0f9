n = int(input())
for i in range(n):
    a, b = input().split()
    a = int(a)
    b = int(b)
    while a % b != 0:
        a, b = b, a % b
    print(b)
