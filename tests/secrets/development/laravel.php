<?php

return [
    'name' => env('APP_NAME', 'Ledger'),
    'key' => env('APP_KEY', 'base64:«laravel-key|{base64 43}=»'),
    'mailgun' => [
        'domain' => env('MAILGUN_DOMAIN'),
        'secret' => env('MAILGUN_SECRET', '«env-fallback|{hex 32}»'),
    ],
    'connections' => [
        'mysql' => [
            'username' => 'forge',
            'password' => '«php-array|Quokka%20trail»',
        ],
    ],
    'password_timeout' => 10800,
    'passwords' => 'users',
    'token' => csrf_token(),
];
define('AUTH_KEY', '«php-define|j{k#Vq8|d:Z2&wT}5s>Ye.L9u<Rb-0P;xN6+aM@c1^gHf»');
define("DB_PASSWORD", "«php-define|walnutCathedral»");
$password = "«code-literal|N3ctarine\$Bridge»";
$mysqli = new mysqli("localhost", "app", "«call-argument|Bumblebee+Ink1»", "shop");
$pdo = new PDO('mysql:host=localhost;dbname=shop', 'root', '«call-argument|rhubarb-Cloud9»');
// APP_KEY=base64:«laravel-key|{base64 43}=»
