readonly DB_PASS="«shell-export|Lantern&Vale»"
local admin_password=«shell-export|Driftwood7»
PW='«shell-export|Cobalt.Tram»'
export GPG_PASSPHRASE="«shell-export|nine tall giraffes»"
MYSQL_PWD=«shell-export|Sorrel8lane» mysqldump shop
sshpass -p '«sshpass|Candle+Wax»' ssh x@y
curl -k -u "ada:«curl-user|Hickory 3 Dell»" https://x.internal
curl --proxy-user ada:«curl-user|Vetch/Lane2» https://x.internal
curl -H "Authorization: Token «http-header|{hex 40}»" https://x.internal
curl -H "X-Vault-Token: «http-header|s.{alnum 24}»" https://vault.internal/v1/x
curl -d "user=ada&password=«url-parameter|Clementine4»" https://x.internal
curl --data '{"token": "«json-value|{alnum 30}»"}' https://x.internal
mysql -h db -uapp --password='«command-option|Heath/Moor»' shop
mongodump -u app -p «command-option|Willow3peak» --db shop
mongo --username app --password «command-option|Gorse7bank» shop
pg_dump "postgresql://app:«url-password|Bracken4dale»@db/shop"
echo "«echo-stdin|Alder+Fen»" | sudo -S reboot
echo -n '«echo-stdin|{alnum 30}»' | docker login ghcr.io -u x --password-stdin
echo "ops:«chpasswd|Hazel_Copse»" | chpasswd
svn checkout --username ada --password «command-option|Rowan6glen» https://svn.internal
7z x -p«command-option|Sedge5marsh» a.7z
keytool -list -storepass «command-option|Larch.Ridge» -keystore a.jks
ldapsearch -x -D cn=a -w '«command-option|Fern#Gully»' -b dc=x
aws configure set aws_secret_access_key «aws-secret-key|{alnum 40}»
export TOKEN
set -o pipefail
