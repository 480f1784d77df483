<!DOCTYPE html>
<title><?= $title ?></title>
<?php
declare(strict_types=1);

namespace App\Orders;

use App\Support\Clock;
use App\Contracts\{Store, Cache as Memory, Events\Bus};
use App\Mail\Mailer as Post, App\Mail\Letter;
use function App\Support\{slug, title as headline};
use function strlen;
use const App\LIMIT;

require __DIR__ . '/bootstrap.php';
require_once 'helpers.php';
include("parts/header.php");

/** The most orders of a day. */
const MOST = 100, LEAST = 1;
define('ORDERS_DEBUG', false);

/**
 * What can be priced.
 *
 * @see Order
 */
interface Priced extends \Countable, Named
{
    public const CURRENCY = 'EUR';

    public function price(int $quantity = 1): float;
}

trait Logs
{
    protected array $lines = [];

    // Writes one line.
    protected function log(string $line): void
    {
        $this->lines[] = $line;
        static::$count++;
    }

    abstract private function prefix(): string;
}

#[Attribute(Attribute::TARGET_CLASS)]
final class Route
{
    public function __construct(public readonly string $path, private ?Clock $clock = null) {}
}

enum Status: string implements Named
{
    use Logs;

    /** Still open. */
    case Open = 'open';
    case Closed = 'closed';

    const DEFAULT = self::Open;

    public static function parse(string $text): self
    {
        return match (true) {
            $text === 'open', $text === 'new' => self::Open,
            $text === 'closed' => self::Closed,
            default => throw new \InvalidArgumentException("no status: {$text}"),
        };
    }
}

/* An order of a customer. */
#[Route('/orders')]
#[Deprecated]
abstract class Order extends Model implements Priced, \JsonSerializable
{
    use Logs, Caches { log as protected note; Caches::log insteadof Logs; }

    private static int $count = 0;
    public ?Status $status, $before = null;
    var $legacy;

    public function price(int $quantity = 1): float
    {
        if ($quantity > MOST && $this->status !== null || $quantity < 0) {
            throw new TooMany($quantity);
        } elseif ($quantity === 0) {
            return 0.0;
        } else {
            foreach ($this->items() as $key => [$item, $count]) {
                $sum = ($sum ?? 0) + $item->price * $count;
            }
        }
        $price = $quantity ? $sum : 0;
        return $price;
    }

    #[Override]
    public function &items(Item|Bundle ...$more): array
    {
        $factor = 2;
        $scaled = array_map(fn (Item $item): float => $item->price * $factor, $more);
        $double = function (Item &$item) use ($factor, &$scaled): void {
            $item->count *= $factor;
        };
        usort($scaled, [self::class, 'compare']);
        $made = new static(...$scaled);
        list($first, , $last) = $scaled;
        $made?->save(force: true);
        return $made->items ?: Clock::now()->items;
    }

    final protected static function größe(self $order): int
    {
        global $config;
        static $calls = 0;
        try {
            $calls += self::$count + parent::size();
            $name = <<<TEXT
                Order {$order->name} of $config[host]
                TEXT;
        } catch (NotFound | \RuntimeException $error) {
            return Order::MISSING;
        } finally {
            unset($name);
        }
        switch ($calls) {
            case 1:
            case 2:
                return $order instanceof Special ? 1 : 2;
            default:
                while ($calls-- > 0) {
                    echo \strlen((string) $calls), PHP_EOL;
                }
                do { $calls++; } while ($calls < 3 and $config);
        }
        for ($i = 0; $i < 3; $i++) { $$name = $i; }
        return Support\size($order) <=> $order::LEAST;
    }
}

function orders(?Store $store, callable $each = null): \Generator
{
    $handler = new class($store) extends Handler implements Named {
        public function name(): string { return 'anonymous'; }
    };
    yield from $store->each($each) ?? $handler->name();
}

if (!function_exists('slugged')) {
    # Only where nobody else made one.
    function slugged(string $text): string { return slug($text); }
}

$orders = orders(new Memory());
$found = slug(...);
const MISSING = Status::Open?->value;
?>
<ul><?php foreach ($orders as $order): ?><li><?= htmlspecialchars($order->name) ?></li><?php endforeach ?></ul>
