#!/usr/bin/env bash
set -e
: ${DB_PASSWORD:=«shell-default|Cinder.Wallet»}
PASS="${PASS:-«shell-default|mulberryLane»}"
export AWS_SECRET_ACCESS_KEY=«aws-secret-key|{alnum 30}/{alnum 9}»
export MYSQL_PWD=«shell-export|Hazel5Fjord» TZ=UTC
declare -r ROOT_PW='«shell-export|Giraffe,Lintel»'
local token="«shell-export|{alnum 30}»"
export RAILS_MASTER_KEY="«rails-master-key|{hex 32}»"
SSHPASS=«sshpass|Bramble.Quay» sshpass -e ssh ops@host
sshpass -p"«sshpass|Tambourine 3»" rsync -a . ops@host:/srv
sshpass -p«sshpass|mackerel55» ssh ops@host
mysql --user=root -p"«mysql-client|Dust+Comet»" shop < dump.sql
mysqladmin -u root -p«mysql-client|Sherbet4Hill» status
mariadb-dump -p«mysql-client|oatmealKnight» shop
curl --user ops:«curl-user|Magnolia/Drip9» https://jenkins.internal/job/x/build
curl -s -u 'ops:«curl-user|two words here»' https://x.internal
curl -XPOST -uadmin:«curl-user|Buttercup7» http://es:9200/_bulk
curl -d '{"user":"x","password":"«json-value|Snorkel_Bingo»"}' https://x.internal/login
curl -d 'grant_type=password&username=x&password=«url-parameter|Waffle7Iron»' https://x.internal
curl -H "PRIVATE-TOKEN: «http-header|{alnum 20}»" https://gitlab.internal/api/v4/projects
curl -H "Authorization: Bearer «bearer-token|{alnum 36}»" https://x.internal
http --auth ci:«curl-user|Juniper*Wharf» GET :8080
docker login --username ci --password «docker-login|Turmeric2Gate» ghcr.io
echo «echo-stdin|{alnum 24}» | gh auth login --with-token
echo "«echo-stdin|Vicuna-Slope»" | sudo -S apt-get update
printf '%s' '«echo-stdin|badgerCaboose»' | docker login -u x --password-stdin
openssl pkcs12 -export -passout pass:«openssl-pass|Frost.Anvil» -out a.p12
keytool -genkey -storepass «command-option|Clover88moor» -keypass '«command-option|Clover89moor»'
echo 'deploy:«chpasswd|Spindle-Rain7»' | sudo chpasswd
redis-cli -a '«redis-option|Cobweb!Trail»' flushall
rabbitmqctl add_user app «command-option|Mahogany6Elf»
npm config set //registry.npmjs.org/:_authToken «npm-token|npm_{alnum 36}»
helm install x ./chart --set db.password=«command-option|Kestrel.Jam3»,replicas=2
xfreerdp /u:ops /p:«command-option|Lilac#Engine2» /v:host
unzip -P «command-option|sparrow88Nest» backup.zip
ldapsearch -D cn=admin -w «command-option|Cranberry.Loop» -b dc=corp
PASSWORD="$1"
TOKEN=$(vault read -field=token auth)
git clone https://oauth2:«url-password|{alnum 20}»@gitlab.internal/a/b.git
ftp://backup:«url-password|Ch@lk:Hill»@files.internal/nightly
export DATABASE_URL=mysql://root:«url-password|Bagpipe#4»@db/shop
