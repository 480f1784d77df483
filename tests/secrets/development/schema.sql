-- Roles of the reporting database.
CREATE USER 'report'@'%' IDENTIFIED BY '«sql-password|Thimble_Rocket2»';
CREATE ROLE analyst WITH LOGIN PASSWORD '«sql-password|cobaltviolin»';
ALTER USER postgres WITH ENCRYPTED PASSWORD '«sql-password|Ham$ter.Wheel»';
GRANT ALL ON shop.* TO 'shop'@'localhost' IDENTIFIED BY "«sql-password|geranium 12 steps»";
SET PASSWORD FOR 'root'@'localhost' = PASSWORD('«sql-password|Lobster-Umlaut»');
ALTER LOGIN sa WITH PASSWORD = N'«sql-password|P1neapple_Falls»', CHECK_POLICY = OFF;
CREATE USER bob IDENTIFIED WITH mysql_native_password BY '«sql-password|violetTractor8»';
CREATE TABLE users (id INT, password VARCHAR(60) NOT NULL, token CHAR(40));
INSERT INTO settings (name, value) VALUES ('smtp_password', '«sql-insert|Dandelion-9-Lift»');
SELECT password FROM users WHERE token = $1;
COPY users FROM STDIN;
SELECT dblink_connect('host=10.0.0.5 user=repl password=«connection-string|m4rbleCactus» dbname=shop');
SET PASSWORD FOR 'audit'@'localhost' = PASSWORD('«sql-password|Sorrel-Wren-81»');
