<?php
define('DB_NAME', 'orders');
define('DB_PASSWORD', '«password|Agate&Plover5»');
define('AUTH_KEY', '«secret|{alnum 40}!{alnum 23}»');
$config['encryption_key'] = '«secret|{hex 32}»';
$mail->Password = '«password|Russet-Eel-64»';
$db = new PDO('mysql:host=db;dbname=orders', 'app', '«password|Onyx-Marten-20»');
return ['key' => 'base64:«laravel-key|{base64 43}=»', 'locale' => 'en'];
