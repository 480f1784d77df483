config.password = ENV.fetch("SMTP_PASSWORD", "«env-fallback|Quince.Harp»")
secret = Rails.env.test? ? "«code-literal|{hex 32}»" : ENV["SECRET"]
User.create!(email: "a@example.org", password: "«ruby|dragonflyPond»", password_confirmation: "«ruby|dragonflyPond»")
request.basic_auth("ci", "«ruby|Sickle+Moon»")
Fog::Storage.new(provider: "AWS", aws_secret_access_key: "«aws-secret-key|{alnum 40}»")
Devise.pepper = '«ruby|{hex 64}»'
