/* Whole. */
int before(int n)
{
	return n + 1;
}

int broken(int a)
{
	int x = = 3 );
	return before(a);
}

/* Whole, too. */
struct after {
	int count;
};

static void add(struct after *to, int n)
{
	to->count += n;
}
