var a = "cache:6380,password=«connection-string|{alnum 40}»,ssl=True,abortConnect=False";
var b = "amqp: host=mq;virtualHost=/;username=app;password=«connection-string|Trombone!Elk»";
var c = "Host=db;Port=5432;Username=app;Password=«connection-string|gazelleOrchard»;Database=shop";
var d = new SqlCredential("sa", Secure("«call-argument|Pomelo_Drive4»"));
Environment.SetEnvironmentVariable("API_TOKEN", "«call-argument|{alnum 30}»");
public const string JwtKey = "«typed-constant|{alnum 44}»";
/// The default password is "«line-comment|Parasol:Kiwi»".
/// Sign in as root, password «line-comment|Tulip_77».
var map = new Dictionary<string, string> { ["password"] = "«code-literal|Cardamom-Sky»" };
var passwords = new Dictionary<string, string> { { "ada", "«map-value|Byron!1815»" } };
"Jwt": { "Key": "«jwt-key|{alnum 40}»", "Issuer": "x" }
Assert.Equal("password", field.Type);
throw new ArgumentNullException("password", "A password is required");
