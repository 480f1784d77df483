<?php
$config['encryption_key'] = '«php-array|{alnum 32}»';
$db['default']['password'] = '«php-array|Trampoline_6»';
'key' => 'base64:«laravel-key|{base64 43}=»',
putenv('APP_KEY=base64:«laravel-key|{base64 43}=»');
define( 'SECURE_AUTH_SALT', '«php-define|u7|Zk}2-Q@w5^R<b&Y:1s+T{x.9Nd>Lf#8mJc;Vg0(Hp)a4e»' );
define('SMTP_PASS','«php-define|candlelightRiver»');
$link = mysqli_connect('db', 'root', '«call-argument|Foxglove-88»', 'shop');
const DB_PASSWORD = '«typed-constant|ostrichParade»';
private $apiKey = "«typed-constant|{alnum 40}»";
'password' => bcrypt('«call-argument|SunnyMeadow7»'),
$password = $_POST['password'];
'password' => 'required|string|min:8',
'token' => 'nullable|string',
