SECRET_KEY = "«django-key|%s@q7^n$z!4k(e2)w_y&h9=x#m+c8d-v1j5tbr0pf6gala3»"
SECRET_KEY = os.environ.setdefault("SECRET_KEY", "«django-key|h$5n_w8!c@x3^v&j=k7q(z)e2+r#m9d-%sb1t4y6pg0fa»")
DATABASES = {'default': {'USER': 'app', 'PASSWORD': '«code-literal|Clarinet;Moss»', 'PORT': 5432}}
DB = "postgresql://app:«url-password|s@lt&P3pper»@10.0.0.7/app"
client = Redis(host="cache", password="«code-literal|flamingoSocks»")
requests.get(url, auth=("ci", "«call-argument|Dragonfruit_88»"))
requests.get(url, auth=HTTPBasicAuth('ci', '«call-argument|Velcro!Mango»'))
session.headers.update({"Authorization": "token «http-header|{hex 40}»"})
conn = psycopg2.connect("dbname=shop user=app password='«connection-string|Pumice 7 Bees»' host=db")
ssh.connect(host, username="ops", password="«code-literal|marshmallow»")
parser.add_argument("--password", default="«code-literal|Zeppelin3Oat»")
user.set_password("«call-argument|correcthorsebattery»")
authenticate(username="ada", password="«code-literal|bluebirdStation»")
login("ada", "«call-argument-plain|Otter.Pops.55»")
API_KEYS = {"prod": "«code-literal|{alnum 40}»", "dev": None}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
TOKEN_EXPIRY = "3600 seconds"
passwd = '''«code-literal|Tumbleweed!12»'''
aws_secret_access_key = f"«aws-secret-key|{alnum 20}+{alnum 19}»"
fernet = Fernet(b"«call-argument|{base64 43}=»")
msg = "password must not be empty"
help_text = "Enter the same password as before, for verification."
PASSPHRASE: Final = "«typed-constant|six grumpy otters dancing»"
