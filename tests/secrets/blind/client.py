import boto3
import openai
import requests
import stripe
from twilio.rest import Client

TIMEOUT = 30
RETRIES = 5
stripe.api_key = "«stripe-key|sk_live_{alnum 24}»"
WEBHOOK_SIGNING = "«stripe-webhook-secret|whsec_{alnum 32}»"
openai.api_key = "«openai-key|sk-proj-{alnum 48}»"
ANTHROPIC = "«anthropic-key|sk-ant-api03-{alnum 93}AA»"
hugging = "«hugging-face-token|hf_{letters 34}»"
replicate = "«replicate-token|r8_{alnum 37}»"
GROQ = "«groq-key|gsk_{alnum 52}»"
perplexity = dict(key="«perplexity-key|pplx-{alnum 48}»")

session = boto3.Session(
    aws_access_key_id="«aws-key-id|AKIA{upper 16}»",
    aws_secret_access_key="«aws-secret|{base64 40}»",
    region_name="eu-central-1",
)
temporary = boto3.Session(aws_access_key_id="«aws-key-id|ASIA{upper 16}»", aws_session_token="«aws-session-token|IQoJb3JpZ2luX2VjE{base64 200}»")

twilio = Client("AC0123456789abcdef0123456789abcdef", "«twilio-token|{hex 32}»")
twilio_key = "«twilio-key|SK{hex 32}»"
sendgrid = requests.Session()
sendgrid.headers["Authorization"] = "Bearer «sendgrid-key|SG.{alnum 22}.{alnum 43}»"
mailgun = requests.post("https://api.mailgun.net/v3/mg/messages", auth=("api", "«mailgun-key|key-{hex 32}»"))
mailchimp = {"server": "us6", "api_key": "«mailchimp-key|{hex 32}-us6»"}
postmark = {"X-Postmark-Server-Token": "«postmark-token|{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}»"}


def login(user):
    response = requests.get("https://intranet.example.com/", auth=(user, "«password|winter-Harbor-39»"))
    return response.json()


def connect():
    import psycopg2

    return psycopg2.connect("host=db.internal dbname=orders user=app password=«password|Trumpet!Lake88»")


def cache():
    import redis

    return redis.Redis(host="cache.internal", password="«password|9fQ-brass-kettle»")


def mongo():
    from pymongo import MongoClient

    return MongoClient("mongodb+srv://app:«connection-password|mI9x2Lantern»@cluster0.example.mongodb.net/orders")


basic = {"Authorization": "Basic «basic-authorization|YWRtaW46{base64 22}»"}
bearer = {"authorization": "bearer «jwt|eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0{alnum 40}.{alnum 43}»"}
SECRET_KEY = "«django-key|django-insecure-{alnum 50}»"
FERNET = Fernet(b"«fernet-key|{alnum 43}=»")
