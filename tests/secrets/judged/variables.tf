variable "rds_master_password" {
  default = "«terraform-default|Periwinkle_44»"
}
variable "github_token" {
  description = "Token for the provider"
  type        = string
  default     = "«terraform-default|{hex 40}»"
}
variable "admin_pass" {
  type = string

  # change in production
  default = "«terraform-default|autumnRailway»"
}
variable "instance_type" {
  default = "t3.micro"
}
locals {
  db_password = "«hcl-attribute|Noodle^Castle8»"
  api_secret  = var.api_secret
  secrets     = { stripe = "«hcl-attribute|sk_live_{alnum 30}»" }
}
resource "azurerm_key_vault_secret" "db" {
  name  = "db-password"
  value = "«hcl-attribute|Hedgerow.99.Fog»"
}
