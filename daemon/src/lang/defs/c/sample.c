/* What C has. */
#include <stdio.h>
#include "sample.h"

/** How many there may be. */
#define LIMIT 10
#define MAX(a, b) \
	((a) > (b) ? (a) : (b))

#ifdef __cplusplus
extern "C" {
#endif

// A point, by its typedef.
typedef struct {
	int x, *y; // two in one
	char name[LIMIT][2];
} Point;

typedef struct node {
	struct node *next;
	int (*compare)(const void *a, const void *b);
	unsigned bits : 3;
	union {
		int whole;
		float part;
	} as;
} node_t;

typedef int (*callback)(void *data);
typedef unsigned long size;

enum color { RED, GREEN = 2, /* the last */ BLUE };

union bits {
	int whole;
	char parts[4];
};

struct forward;

int counter = 1, *cursor, table[3] = {1, 2, 3};
static const char *const names[] = {"a", "b"};
int (*handler)(int) = 0;
extern size größe;

/* Declared here, defined below. */
static int *find(struct node *from, int what);
__attribute__((noreturn)) void leave(int code);

/*
 * Finds a node.
 */
static int *find(struct node *from, int what)
{
	for (node_t *at = from; at && at->next; at = at->next) {
		if (at->compare(at, &what) == 0 || what < 0)
			return &at->as.whole;
	}
	return NULL;
}

inline static void hidden(void) {}

int main(int argc, char **argv)
{
	Point p = {.x = 1, .name = {"p"}}, *q = &p;
	static int calls;
	enum color c = RED;
	switch (argc) {
	case 1:
	case 2:
		p.x = MAX(argc, LIMIT);
		break;
	default:
		q->x += counter;
	}
	do {
		calls++;
	} while (calls < 3);
#ifdef DEBUG
	printf("%d\n", p.x);
#endif
	while (*argv)
		*q->y = (int)sizeof(struct node), argv++;
	goto done;
done:
	handler(c);
	(*handler)(c);
	return find(NULL, 1) ? 0 : 1;
}

typedef struct _PAIR {
	int left;
} PAIR, *PPAIR;
typedef struct {
	int right;
} SIDE, *PSIDE, SIDES[2];
typedef enum { ON, OFF } *PSWITCH;

struct hooks {
	void (*each[4])(int);
};

/* Gives a function. */
void (*on_signal(int number, void (*react)(int)))(int);
static int (*chosen(int which)) // one of them
	(int)
{
	return which ? handler : 0;
}
static int (*operations[])(int) = { handler };
int (*spare[2])(int);

#ifdef __cplusplus
}
#endif
