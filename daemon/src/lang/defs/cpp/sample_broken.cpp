// Whole.
int before(int n) { return n + 1; }

int broken(int a) {
    int x = = 3 );
    return before(a);
}

// Whole, too.
class After {
public:
    void add(int n) { count += n; }
private:
    int count = 0;
};
