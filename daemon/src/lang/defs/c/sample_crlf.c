#include <stdlib.h>

// Leaves
// at once.
void leave(int code)
{
	if (code)
		exit(code);
}

/* Holds. */
struct box {
	int inside;
};
