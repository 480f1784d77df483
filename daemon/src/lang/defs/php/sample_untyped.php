<?php

namespace App\Web;

class Client extends \App\Base
{
    /** @var Jar|null */
    private $jar;
    protected static $count = 0;
    public $log, $clock;
    var $own = null;

    public function __construct(\App\Log $log, Clock $clock = null, $any = null)
    {
        $this->log = $log;
        $this->clock = $clock ?? new \App\Clock();
        $this->own = new Own($any);
        $this->late = $any;
    }

    private $late;

    public function send(\App\Web\Request $request): ?\Generator
    {
        try {
            \App\Web\Sender::send(new \App\Web\Message(\strlen(\App\LIMIT)));
        } catch (\App\Failure | \Exception $error) {
            return $error instanceof \App\Failure ? \App\Web\name() : Web\name();
        }
    }
}
