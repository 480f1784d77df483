#!/bin/bash
set -euo pipefail
export DB_PASSWORD=«shell-export|Mango.Staircase»
export STRIPE_WEBHOOK_SECRET="«shell-export|whsec_{alnum 32}»"
API_TOKEN='«shell-export|{hex 40}»'
PGPASSWORD="«shell-export|old-lighthouse-key»" psql -h db -U ledger -c 'select 1'
RAILS_MASTER_KEY=«rails-master-key|{hex 32}» bin/rails db:migrate
sshpass -p '«sshpass|Turbine&Fig»' ssh deploy@10.2.0.4 uptime
sshpass -p «sshpass|lemonade77» scp build.tgz deploy@10.2.0.4:
mysqldump -uroot -p«mysql-client|Acorn8Sleigh» shop > shop.sql
mysql -h db -u app -p'«mysql-client|blue+Kettle»' -e 'show tables'
curl -u admin:«curl-user|Sandcastle!8» https://nexus.internal/service/rest/v1/status
curl -fsSL --user "ci:«curl-user|{alnum 20}»" -O https://artifacts.internal/x.tgz
curl -H "X-Api-Key: «http-header|{alnum 32}»" https://api.internal/v1
curl -H 'Authorization: Basic «basic-credentials|Y2k6cHVtcGtpblJhZnQyMQ==»' https://api.internal
wget --http-password=«command-option|Riverbed19» --http-user=ci https://files.internal/a
redis-cli -h cache -a «redis-option|tinkerToucan» ping
docker login -u ledger -p «docker-login|Caramel_Boat5» registry.internal
echo "«echo-stdin|plum.Gondola»" | docker login --password-stdin -u ledger registry.internal
echo '«echo-stdin|SudoMyWay99»' | sudo -S systemctl restart ledger
openssl enc -aes-256-cbc -pass pass:«openssl-pass|Chimney.Sweep4» -in a -out b
openssl rsa -in key.pem -passin pass:«openssl-pass|toastedAlmond» -out plain.pem
ansible-playbook site.yml -e "ansible_become_pass=«command-option|kiteString31»"
htpasswd -bc /etc/nginx/htpasswd ada «htpasswd|Cinnamon-Gate»
read -s -p "Password: " password
kubectl create secret generic db --from-literal=password=«command-option|Snowplough3x»
az login --service-principal -u app --password «command-option|{alnum 34}» --tenant t
mongosh "mongodb+srv://app:«url-password|Tango%40Nine»@cluster0.abcde.mongodb.net/shop"
PASSWORD=$(cat /run/secrets/db)
TOKEN=${TOKEN:-«shell-default|{alnum 24}»}
: "${ADMIN_PASSWORD:=«shell-default|hazelnutRocket»}"
psql "host=db user=ledger password=«connection-string|Vanilla2Brick» sslmode=require"
net use z: \\files\share /user:ops «net-use|Jupiter*Barn1»
smbclient //files/share -U 'ops%«smbclient|Mulberry6way»'
cargo login «crates.io-token|cio{alnum 32}» --registry crates-io
openssl enc -d -aes-128-cbc -k '«command-option|Thistle_Crow_44»' -in state.enc -out state
vault login -no-print «vault-token|s.{alnum 24}»
pwsh -c "ConvertTo-SecureString '«command-option|Bramble-Kite-7»' -AsPlainText -Force"
