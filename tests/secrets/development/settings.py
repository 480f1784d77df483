import os

# SECURITY WARNING: keep the secret key used in production secret!
SECRET_KEY = 'django-insecure-«django-key|x$k2!v%s7^q&=mz(9w#b@h4_d)r-8y+t1n3pz6c5fj0»'
SECRET_KEY_FALLBACKS = ["«django-key|$8f)w%szq3=k!7d&m2^x_vb@c9#r(1+t5hp-y6n4jg0el»"]
DEBUG = False

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "ledger",
        "USER": "ledger",
        "PASSWORD": os.environ.get("DB_PASSWORD", "«env-fallback|Kestrel91attic»"),
        "HOST": "127.0.0.1",
    },
    "legacy": dict(ENGINE="mysql", USER="root", PASSWORD="«code-literal|oldbarnowl»"),
}
EMAIL_HOST_PASSWORD = os.getenv('EMAIL_PASSWORD', '«env-fallback|{alnum 16}»')
EMAIL_HOST_USER = "mailer"
AUTH_PASSWORD_VALIDATORS = [{"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"}]
PASSWORD_RESET_TIMEOUT = 3600
CSRF_TOKEN_NAME = "csrftoken"
broker_url = 'amqp://worker:«url-password|Zebra$Piano7»@mq:5672//'
FIELD_ENCRYPTION_KEY = b'«code-literal|{base64 43}=»'
api_key: str = "«typed-constant|{alnum 30}»"


def connect(user="root", password="«parameter-default|gr4phite.Snow»"):
    """Connects with the given password.

    The staging password is `«prose-backtick|Umbrella55!»`, ask Priya for the other one.
    """
    return login(user, password=password or "«code-literal|fallbackTurnip»")
answer = requests.post(url, auth=(account, "«call-argument|Clover-Stoat-62»"))
