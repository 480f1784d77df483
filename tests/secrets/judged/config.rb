Rails.application.config.secret_key_base = '«ruby|{hex 128}»'
Devise.setup { |config| config.secret_key = "«ruby|{hex 64}»" }
password = ENV.fetch("DB_PASSWORD") { "«env-fallback|Mosaic+Llama»" }
token = ENV.fetch('API_TOKEN', '«env-fallback|{alnum 32}»')
secret = ENV["APP_SECRET"] || "«env-fallback|ginger otter twelve»"
ENV['RAILS_MASTER_KEY'] ||= '«rails-master-key|{hex 32}»'
ActiveRecord::Base.establish_connection(adapter: "mysql2", username: "root", password: "«ruby|Bagel.Thunder»")
user = User.new(email: "ada@example.org", :password => "«ruby|snowleopard»", admin: true)
validates :password, presence: true, length: { minimum: 8 }
http.basic_auth 'ci', '«ruby|Harmonica&Kale»'
t.string "password_digest"
