# Settings.
terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

provider "aws" {
  region = var.region
}

/* The region. */
variable "region" {
  type    = string
  default = "eu-west-1" # }
}

locals {
  name = "engine-${var.region}"
  tags = {
    a = "b"
  }
}

// The machine.
resource "aws_instance" "web" {
  ami = data.aws_ami.ubuntu.id
  user_data = <<-EOF
    resource "x" "hidden" {
    EOF
  lifecycle {
    create_before_destroy = true
  }
}

data "aws_ami" "ubuntu" {
  most_recent = true
}

module "vpc" { source = "./vpc" }

output "ip" {
  value = aws_instance.web.public_ip
}
region = "eu"
