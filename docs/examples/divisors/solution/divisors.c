#include <stdio.h>

int main(void)
{
    long long count, a, b;

    scanf("%lld", &count);
    while (count-- && scanf("%lld %lld", &a, &b) == 2) {
        while (b) {
            long long rest = a % b;
            a = b;
            b = rest;
        }
        printf("%lld ", a);
        printf("\n");
    }
    return 0;
}
