<?php
define('NONCE_SALT', '«php-define|t5|Zp}7-W@k2^B<m&X:9s+Q{y.4Fd>Gh#1nCj;Rv6(Lu)e3a»');
define( "LOGGED_IN_KEY", "«php-define|k2!Rz(8)wN^5d&Y=q+T_x.7m>Lf#1cJv;Pg0@Hs<4aBe%u9»" );
$cfg['Servers'][$i]['password'] = '«php-array|Copper_Kettle»';
$conn = pg_connect("host=db dbname=shop user=app password=«connection-string|Jasmine7rail»");
new PDO($dsn, 'app', '«call-argument|Pumpkin:Seed»');
mysqli_connect($host, "app", "«call-argument|orchidCanyon»", $db);
'password' => Hash::make('«call-argument|Biscotti-5»'),
'password' => 'confirmed',
