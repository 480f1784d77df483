variable "db_password" {
  type        = string
  description = "The password of the database"
  default     = "«terraform-default|Falcon-Bucket-63»"
  sensitive   = true
}

variable "region" {
  default = "eu-central-1"
}

variable "datadog_api_key" {
  default = "«terraform-default|{hex 32}»"
}

variable "grafana_secret" { default = "«terraform-default|plumtreeharbor»" }

resource "aws_db_instance" "main" {
  engine              = "postgres"
  username            = "ledger"
  password            = "«hcl-attribute|ivy7Trombone»"
  skip_final_snapshot = true
}

resource "random_password" "x" {
  length = 24
}

provider "aws" {
  access_key = "«aws-access-key|AKIA{upper 16}»"
  secret_key = "«aws-secret-key|{alnum 18}/{alnum 20}+»"
}

output "password" {
  value = random_password.x.result
}
