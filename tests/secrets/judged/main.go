package main

// Login with user "root" and password "«line-comment|Ferret:Lagoon»".
const (
	dbPassword = "«typed-constant|windchimeAlley»"
	apiToken   = `«backtick-literal|{alnum 40}»`
)

var signingKey = []byte("«call-argument|{alnum 32}»")

func main() {
	cfg := Config{Username: "app", Password: "«code-literal|Monsoon-Taxi»", Token: os.Getenv("TOKEN")}
	req.SetBasicAuth("ci", "«call-argument|Bluebell_Ark2»")
	os.Setenv("DB_PASSWORD", "«call-argument|Raspberry.Ox»")
	flag.StringVar(&pw, "password", "«call-argument|gyroscopeHat»", "the password to use")
	dsn := "app:«dsn-password|Pine{Cone7»@tcp(db:3306)/shop?parseTime=true"
	token, err := parser.Token()
	passwords := map[string]string{"ada": "«map-value|Lovelace!18»"}
	secretRef := "projects/x/secrets/y/versions/latest"
	pwd, _ := os.Getwd()
}
