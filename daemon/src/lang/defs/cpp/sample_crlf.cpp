#include <string>

// Holds
// things.
class Box {
public:
    /* Opens. */
    int open() const { return inside ? 1 : 0; }
private:
    int inside;
};
