#include <stdio.h>

int main(void)
{
    int count, a, b;

    scanf("%d", &count);
    while (count-- && scanf("%d %d", &a, &b) == 2) {
        while (b) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        printf("%d ", a);
        printf("\n");
    }
    return 0;
}
