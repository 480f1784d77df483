<?php
namespace App;

use App\Support\Clock;

/** Whole. */
class Before
{
    public function first(): int { return self::second(1); }

    private function second(int $n): int { return $n ++ ( ; }
}

function broken($a, { return $a;

/** Also whole. */
final class After extends Before implements Named
{
    const LIMIT = 3;

    public function third(Clock $clock): int
    {
        return $clock->now();
    }
}
