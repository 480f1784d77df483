#!/bin/sh
set -eu
export PGPASSWORD=«password|Fennel-Wharf-2»
export MYSQL_PWD='«password|{alnum 15}»'
export RESTIC_PASSWORD="«password|old barn, new owl»"
mysql -h db.internal -u root -p«password|Cobalt77Thrush» orders < dump.sql
mysqldump --user=backup --password=«password|{alnum 16}» orders
sshpass -p '«password|Rhubarb-Quay-5»' ssh deploy@host.example.com uptime
curl -u admin:«password|Amber*Finch3» https://jenkins.example.com/job/orders/build
curl -H "X-API-Key: «api-key|{hex 40}»" https://api.example.com/v1/orders
curl -H 'Authorization: Token «token|{hex 40}»' https://api.example.com/v1/users
curl "https://maps.example.com/geocode?q=paris&key=«api-key|AIzaSy{alnum 33}»"
curl "https://api.example.com/feed?access_token=«token|{alnum 40}»&page=2"
openssl enc -aes-256-cbc -k «passphrase|Mica-Stork-73» -in a -out b
redis-cli -h cache.internal -a «password|{alnum 20}» ping
htpasswd -b /etc/nginx/users admin «password|Nettle.Gong.4»
echo "root:«password|Flint+Robin+6»" | chpasswd
docker run -e POSTGRES_PASSWORD=«password|Lilac-Tower-1» -p 5432:5432 postgres:16
docker login -u builder -p «password|{alnum 24}» registry.example.com
kubectl create secret generic orders --from-literal=password=«password|Ivory_Mole_38»
helm upgrade orders . --set auth.password=«password|Peat-Crane-9»
vault login «vault-token|s.{alnum 24}»
restic -r s3:s3.example.com/backup snapshots
ansible-playbook site.yml --extra-vars "ansible_become_pass=«password|Loam-Viper-26»"
