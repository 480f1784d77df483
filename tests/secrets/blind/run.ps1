$Region = "westeurope"
$env:ARM_CLIENT_SECRET = "«azure-client-secret|xYz8Q~{alnum 34}»"
$password = ConvertTo-SecureString "«password|Basil;Comet;12»" -AsPlainText -Force
Invoke-RestMethod -Uri https://api.example.com -Headers @{ "X-Api-Key" = "«api-key|{alnum 32}»" }
net use Z: \\files\orders /user:orders «password|Slate-Otter-31»
az login --service-principal -u 0e3c1f8a-9f7b-4a1c-8d52-6b1f0a9c7e44 -p «azure-client-secret|q1W8Q~{alnum 34}» --tenant example.com
