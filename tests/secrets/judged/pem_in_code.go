package keys

var key = `-----BEGIN RSA PRIVATE KEY-----
«private-key|{base64 64}
{base64 64}
{base64 64}»
-----END RSA PRIVATE KEY-----`

var other = "-----BEGIN EC PRIVATE KEY-----\n" +
	"«private-key|{base64 64}\n" +
	"{base64 44}»\n" +
	"-----END EC PRIVATE KEY-----\n"

// Interface: PrivateKey = «wireguard-key|{base64 43}=»
const encoded = "«private-key|LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0t{base64 120}»"
const sopsAge = "«age-key|AGE-SECRET-KEY-1{upper 58}»"
var account = `{"private_key_id": "«google-service-account|{hex 40}»"}`
