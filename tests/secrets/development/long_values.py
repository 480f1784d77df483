WEBHOOK_SECRET = "«long-value|{alnum 700}»"
private_token = '«long-value|{base64 900}»'
config = {"client_secret": "«long-value|{hex 1200}»"}
SERVICE_ACCOUNT_KEY = """«long-value|{base64 600}»"""
CHUNK_SIZE = 512
