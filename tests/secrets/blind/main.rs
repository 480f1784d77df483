const LISTEN: &str = "0.0.0.0:8080";
const API_TOKEN: &str = "«token|{alnum 36}»";
static HMAC_KEY: &[u8] = b"«secret|{alnum 32}»";

fn client() -> Client {
    Client::new().basic_auth("orders", Some("«password|Umber-Gecko-58»"))
}

fn database() -> &'static str {
    "mysql://root:«url-password|{alnum 12}»@127.0.0.1/orders"
}

fn settings() -> Settings {
    Settings { user: "app".into(), password: "«password|Talc_Raven_90»".into(), retries: 3 }
}
