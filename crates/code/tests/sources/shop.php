<html><?= "class No {" ?>
<script>function notThis() {}</script>
<?php
declare(strict_types=1);

namespace Shop\Web;

use function strlen;

const LIMIT = 3;

#[Attribute]
abstract class Cart extends Base implements Priced, \Countable
{
    use Helper;
    public const string NAME = 'class No {';

    public function __construct(private readonly array $items = []) {}

    public static function &open(?string $name, int ...$more): static|null
    {
        $text = <<<TEXT
            function no() {
            TEXT;
        $f = function ($a) use ($text) { return "{$a['}']}"; };
        return new class($name) extends Base { public function inner() {} };
    }

    abstract protected function list(): array; // function no()
}

interface Priced { public function price(): int; }
trait Helper { private function help() {} }
enum Color: string { case Red = 'r'; public function dark(): self { return $this; } }
function helper() {}
?>
<p>function no() {}</p>
