#include <stdio.h>
#define LIMIT 3
#define SQUARE(x) \
    ((x) * (x))
/* int not_this(void) { } */
#if 0
int left_out(void) { return 0; }
#endif

typedef unsigned long name_t;
typedef struct item { int price; } item_t;
typedef int (*compare_t)(const void *, const void *);

struct cart { struct item *items; enum { OPEN, PAID } state; };
union bits { int a; float b; };
enum color { RED, GREEN };

static struct item table[] = { { 1 }, { 2 } };
extern int declared(int a);

static inline const char *
item_name(const struct item *item, char quote)
{
#ifdef LONG
    if (item) {
#else
    if (!item) {
#endif
        printf("int no(void) { \"%c", '"');
    }
    return "x";
}

struct item *first(struct cart *cart) { return cart->items; }
__attribute__((noinline)) int main(int argc, char **argv) { for (;;) { } return SQUARE(argc); }
