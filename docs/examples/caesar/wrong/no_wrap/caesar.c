#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char *argv[])
{
    char text[1000];

    if (argc != 2 || !isdigit((unsigned char) *argv[1])
            || strspn(argv[1], "0123456789") != strlen(argv[1])) {
        printf("Usage: caesar KEY\n");
        return 1;
    }
    int key = atoi(argv[1]) % 26;

    do {
        printf("text? ");
        if (fgets(text, sizeof text, stdin) == NULL)
            return 1;
        text[strcspn(text, "\n")] = '\0';
    } while (*text == '\0');

    for (char *c = text; *c; c++) {
        if (isupper((unsigned char) *c))
            *c += key;
        else if (islower((unsigned char) *c))
            *c += key;
    }
    printf("Cipher text: %s\n", text);
    return 0;
}
