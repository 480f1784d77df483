<?php
/**
 * Adds.
 */
function add(int $a, int $b): int
{
    // Both.
    return $a + $b;
}

class Sum
{
    private int $total = 0;

    # Takes one more.
    public function take(int $n): void
    {
        $this->total = add($this->total, $n);
    }
}
