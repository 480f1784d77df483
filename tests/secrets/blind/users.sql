CREATE TABLE users (id int, name text);
CREATE USER reporting WITH PASSWORD '«password|Chalk.Heron.12»';
ALTER ROLE app WITH ENCRYPTED PASSWORD '«password|{alnum 18}»';
CREATE USER 'shop'@'%' IDENTIFIED BY '«password|Tin-Badger-47»';
SET PASSWORD FOR 'shop'@'%' = '«password|{alnum 14}»';
CREATE LOGIN app WITH PASSWORD = N'«password|Topaz!Weasel1»';
SELECT dblink_connect('host=10.0.0.4 user=app password=«password|Garnet_Shrew_8» dbname=orders');
