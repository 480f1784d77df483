//! Tests examples of every kind, assembled from parts so that this file contains no secret, and near misses.

use super::*;

const HEX: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0";
const MIX: &str = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA1bC2dE3fG4hJ5kL6mN7pQ8rS9tU0vW1xY2zA3bC4";
const UPPER: &str = "A1B2C3D4E5F6G7H8J9K0L1M2N3P4Q5R6S7T8U9V0W1X2Y3Z4A5B6C7D8E9F0G1H2J3K4";

fn hex(length: usize) -> &'static str {
    &HEX[..length]
}

fn mix(length: usize) -> &'static str {
    &MIX[..length]
}

fn upper(length: usize) -> &'static str {
    &UPPER[..length]
}

/// Returns examples: the kind, the text before the secret, the secret, and the text after it.
fn examples() -> Vec<(&'static str, String, String, &'static str)> {
    let token = |kind, secret: String| (kind, "x = \"".to_owned(), secret, "\"");
    vec![
        token("AWS access key", format!("AKIA{}", upper(16))),
        token("GitHub token", format!("ghp_{}", mix(36))),
        token("GitHub token", format!("github_pat_{}", mix(60))),
        token("GitLab token", format!("glpat-{}", mix(20))),
        token("Slack token", format!("xoxb-{}", "123456789012-abcdef")),
        (
            "Slack webhook",
            "https://hooks.slack.com/services/".into(),
            format!("T{}/B{}/{}", upper(8), upper(8), mix(24)),
            "\n",
        ),
        (
            "Discord webhook",
            "https://discord.com/api/webhooks/123456789012345678/".into(),
            mix(68).into(),
            "\n",
        ),
        token("Google API key", format!("AIza{}", mix(35))),
        token("Google OAuth secret", format!("GOCSPX-{}", mix(28))),
        token("Google OAuth token", format!("ya29.{}", mix(60))),
        (
            "Azure key",
            "AccountName=x;AccountKey=".into(),
            format!("{}==", mix(60)),
            ";",
        ),
        (
            "Azure shared access signature",
            "https://x/y?sv=1&sig=".into(),
            format!("{}%3D", mix(43)),
            "\n",
        ),
        token("Azure client secret", format!("abc8Q~{}", mix(34))),
        token("Stripe key", format!("sk_live_{}", mix(24))),
        token("Twilio key", format!("SK{}", hex(32))),
        token("SendGrid key", format!("SG.{}.{}", mix(22), mix(43))),
        token("Mailgun key", format!("key-{}", hex(32))),
        token("Mailchimp key", format!("{}-us12", hex(32))),
        token("npm token", format!("npm_{}", mix(36))),
        (
            "npm token",
            "//registry/:_authToken=".into(),
            mix(36).into(),
            "\n",
        ),
        token("PyPI token", format!("pypi-AgE{}", mix(60))),
        token("Docker token", format!("dckr_pat_{}", mix(27))),
        token("Heroku key", format!("HRKU-{}", mix(36))),
        token("DigitalOcean token", format!("dop_v1_{}", hex(64))),
        token("Anthropic key", format!("sk-ant-api03-{}", mix(60))),
        token("OpenAI key", format!("sk-proj-{}", mix(60))),
        token("API key", format!("sk-{}", mix(48))),
        token("Hugging Face token", format!("hf_{}", mix(34))),
        token("Replicate token", format!("r8_{}", mix(37))),
        token("Groq key", format!("gsk_{}", mix(52))),
        token(
            "JSON web token",
            format!("eyJ{}.eyJ{}.{}", mix(20), mix(30), mix(40)),
        ),
        token("Shopify token", format!("shpat_{}", hex(32))),
        token("Square token", format!("sq0csp-{}", mix(43))),
        token("Telegram token", format!("123456789:AA{}", mix(33))),
        token("Atlassian token", format!("ATATT3{}", mix(70))),
        token("Databricks token", format!("dapi{}", hex(32))),
        token("New Relic key", format!("NRAK-{}", upper(27))),
        token("Grafana token", format!("glsa_{}_{}", mix(32), hex(8))),
        token("Sentry token", format!("sntrys_{}", mix(60))),
        token("PlanetScale secret", format!("pscale_tkn_{}", mix(43))),
        token("Doppler token", format!("dp.pt.{}", mix(43))),
        token("Vault token", format!("hvs.{}", mix(28))),
        token(
            "Terraform Cloud token",
            format!("{}.atlasv1.{}", mix(14), mix(67)),
        ),
        token("Pulumi token", format!("pul-{}", hex(40))),
        token("RubyGems key", format!("rubygems_{}", hex(48))),
        token("Postman key", format!("PMAK-{}-{}", hex(24), hex(34))),
        token("Figma token", format!("figd_{}", mix(40))),
        token("Linear key", format!("lin_api_{}", mix(40))),
        token("Notion token", format!("ntn_{}", mix(46))),
        token("Supabase token", format!("sbp_{}", hex(40))),
        token(
            "Tailscale key",
            format!("tskey-auth-{}-{}", mix(12), mix(32)),
        ),
        token("Netlify token", format!("nfp_{}", mix(36))),
        token(
            "Dynatrace token",
            format!("dt0c01.{}.{}", upper(24), upper(64)),
        ),
        token("Age key", format!("AGE-SECRET-KEY-1{}", upper(58))),
        token("Alibaba access key", format!("LTAI{}", mix(20))),
        token("Facebook token", format!("EAACEdEose0cBA{}", mix(40))),
        (
            "bearer token",
            "Authorization: Bearer ".into(),
            mix(32).into(),
            "\n",
        ),
        (
            "basic credentials",
            "Authorization: Basic ".into(),
            "YWRhOmVuZ2luZTE5MDA=".into(),
            "\n",
        ),
        (
            "password in a URL",
            "postgres://ada:".into(),
            "hunter2x".into(),
            "@db/engine",
        ),
        (
            "password",
            "password: \"".into(),
            "correct-horse-battery".into(),
            "\"\n",
        ),
        ("password", "  password: ".into(), "hunter2!x".into(), "\n"),
        ("password", "DB_PASSWORD=".into(), "Tr0ub4dor".into(), "\n"),
        (
            "key or token",
            "export API_KEY=".into(),
            mix(24).into(),
            "\n",
        ),
        (
            "key or token",
            "{\"api_key\": \"".into(),
            mix(24).into(),
            "\"}",
        ),
        (
            "secret",
            "aws_secret_access_key = ".into(),
            mix(40).into(),
            "\n",
        ),
        (
            "secret",
            "const clientSecret = '".into(),
            mix(32).into(),
            "';",
        ),
        (
            "key or token",
            "headers[\"X-Auth-Token\"] = \"".into(),
            mix(32).into(),
            "\"",
        ),
        token(
            "private key",
            format!("LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0t{}==", mix(60)),
        ),
        (
            "private key",
            "    client-key-data: ".into(),
            mix(70).into(),
            "\n",
        ),
    ]
    .into_iter()
    .chain(given())
    .collect()
}

/// Returns examples of each syntax of an assignment, in the form of [`examples`].
fn given() -> impl Iterator<Item = (&'static str, String, String, &'static str)> {
    let keys = [
        // With a type between the name and the value.
        ("const API_KEY: &str = \"", "\";"),
        ("pub static API_KEY: &'static str = \"", "\";"),
        ("const api_key: []const u8 = \"", "\";"),
        ("let token: Option<String> = Some(String::from(\"", "\"));"),
        ("private apiKey: string = '", "';"),
        ("export const apiKey: string | undefined = `", "`;"),
        ("const val API_KEY: String = \"", "\""),
        ("let apiKey: String? = \"", "\""),
        ("api_key: str = \"", "\"\n"),
        ("API_KEY: Final[str] = '", "'\n"),
        ("var apiKey string = \"", "\"\n"),
        ("const char api_key[] = \"", "\";"),
        ("public string ApiKey { get; set; } = \"", "\";"),
        // In a call.
        ("client.setApiKey(\"", "\");"),
        ("builder.apiKey(\"", "\").build()"),
        ("headers.set(\"X-Api-Key\", \"", "\");"),
        // In markup and in prose.
        ("<add key=\"ApiKey\" value=\"", "\" />"),
        ("  <apiKey>", "</apiKey>\n"),
        ("curl https://host/path?api_key=", "&x=1\n"),
        ("# api_key: ", "\n"),
        ("{\\\"api_key\\\": \\\"", "\\\"}"),
    ];
    let passwords = [
        ("def connect(password: str = \"", "\"):"),
        ("var dbPassword string = \"", "\"\n"),
        ("ENV DB_PASSWORD=", "\n"),
        ("ENV MODE=1 DB_PASSWORD=", " OTHER=2\n"),
        ("ENV DB_PASSWORD ", "\n"),
        ("ARG DB_PASSWORD=", "\n"),
        ("docker run -e DB_PASSWORD=", " image\n"),
        ("      - \"DB_PASSWORD=", "\"\n"),
        ("PGPASSWORD=", " psql -h db\n"),
        ("define('DB_PASSWORD', '", "');"),
        ("os.environ.setdefault(\"DB_PASSWORD\", \"", "\")"),
        ("user.setPassword(\"", "\");"),
        ("\"Server=db;User Id=sa;Password=", ";Encrypt=true\""),
        ("'Data Source=db;Uid=sa;Pwd=", "'"),
        ("\"host=db;user=sa;pwd=", "\""),
        ("mysql --password=", " -u root\n"),
        ("mysql --password ", " -u root\n"),
        ("  <password>", "</password>\n"),
        ("<property name=\"password\" value=\"", "\"/>"),
        ("# password: ", "\n"),
        ("// Password: ", "\n"),
        ("-- password = ", "\n"),
        ("run() # password: ", "\n"),
        ("std::string password(\"", "\");"),
    ];
    let key = |(before, behind): (&str, &'static str)| {
        (
            "key or token",
            before.to_owned(),
            mix(32).to_owned(),
            behind,
        )
    };
    let password = |(before, behind): (&str, &'static str)| {
        (
            "password",
            before.to_owned(),
            "hunter2!x".to_owned(),
            behind,
        )
    };
    keys.into_iter()
        .map(key)
        .chain(passwords.into_iter().map(password))
}

#[test]
fn every_kind_is_found_and_nothing_around_it() {
    for (kind, before, secret, behind) in examples() {
        let text = format!("/* ü */ f();\n{before}{secret}{behind}");
        let start = u32::try_from(text.find(&secret).unwrap()).unwrap();
        let end = start + u32::try_from(secret.len()).unwrap();
        assert_eq!(find(&text), [(start, end)], "{kind}: {text}");
        assert_eq!(
            mark("main.rs", &text).first().map(|mark| mark.kind),
            Some(kind),
            "{text}"
        );
    }
}

#[test]
fn a_literal_ends_at_a_quote_that_is_not_escaped() {
    for (before, secret, behind) in [
        ("password = \"", r#"hunter2!x\"rest"#, "\"\n"),
        ("password = \"", r#"ab\"longer9"#, "\"\n"),
        ("password = '", r"it\'s9hunter", "'; b = 'c'\n"),
        ("api_key = \"", r#"aB3dE5fG7hJ9kL1m\"x"#, "\"\n"),
        ("password = \"", r"hunter2!x\\", "\"; b = \"c\"\n"),
        // A backslash escapes nothing in a raw literal.
        ("password = @\"", "hunter2!x", "\\\"; b = \"c\"\n"),
        ("password = \"", "hunter2!x", "\\\"\n"),
        (r#"{\"password\": \""#, "hunter2!x", r#"\", \"b\": 1}"#),
    ] {
        let text = format!("{before}{secret}{behind}");
        let start = u32::try_from(before.len()).unwrap();
        let end = start + u32::try_from(secret.trim_end_matches('\\').len()).unwrap();
        assert_eq!(find(&text), [(start, end)], "{text}");
    }
}

#[test]
fn a_kubernetes_secret_may_have_values_of_several_lines() {
    let text = "apiVersion: v1\nkind: Secret\nstringData:\n  users: |\n    tulip-meadow\n\n    ada:tulip\n    \
                dHVsaXA=\n    {{ .More }}\n  config.ini: |\n    [server]\n    data:\n    host = db\n    # of ada\n  \
                username: ada\n  ca.crt: |\n    MIIBIjANBg\n  conf.json: |\n    {\n      \"host\": \"db\",\n    \
                }\n  last: >-\n    tulip\n  tagged: !!str |\n    rose\n  # done\ntype: Opaque\n";
    let found = find(text).into_iter();
    let found: Vec<&str> = found
        .map(|(start, end)| &text[start as usize..end as usize])
        .collect();
    assert_eq!(
        found,
        ["tulip-meadow", "ada:tulip", "dHVsaXA=", "tulip", "rose"]
    );
}

#[test]
fn every_password_of_an_insert_is_found() {
    let text = "INSERT INTO users (name, password, api_token, role) VALUES\n\
                ('ada', 'hunter2!x;y', 'Tr0ub4dor9', 'admin9x!'),\n\
                (LOWER('Eve9!xyz'), MD5('correct9!'), CONCAT('a', 'Zanzib4r!'), 'guest9x!');\n\
                SELECT 'x', 'swordf1sh!';\n\
                INSERT INTO users (id, name, password) SELECT 1, LOWER('Eve9!xyz'), 'plumTr33s!';\n\
                run(\"INSERT INTO users (name, password) VALUES ('ada', 'melonSk1n!'), \"\n    \
                \"('bob', 'swordf1sh!')\", \"wheatF1eld!\");\n\
                run(\"INSERT INTO users (id, password) SELECT id, pw FROM old\");\nlog(row[\"a\"]+rowData[\"b\"]);\n\
                run('INSERT INTO users (name, password) VALUES (\\'ada\\', \\'cherryP1e!\\')');\n";
    let found = find(text).into_iter();
    let found: Vec<&str> = found
        .map(|(start, end)| &text[start as usize..end as usize])
        .collect();
    let expected = [
        "hunter2!x;y",
        "Tr0ub4dor9",
        "correct9!",
        "Zanzib4r!",
        "plumTr33s!",
        "melonSk1n!",
        "swordf1sh!",
        "cherryP1e!",
    ];
    assert_eq!(found, expected);
}

#[test]
fn code_that_speaks_of_secrets_holds_none() {
    for line in [
        "password = get_password()",
        "let token = tokens.next();",
        "token: String,",
        "  token: Uint8Array",
        "secretName: foo-bar-2024-secret",
        "password = os.environ[\"PASSWORD\"]",
        "url = \"https://${USER}:${PASSWORD}@host\"",
        "url = \"https://user:password@example.com\"",
        "url := \"http://localhost:8080/a@b\"",
        "git@github.com:owner/name.git",
        "secret = \"<your secret here>\"",
        "API_KEY=your-api-key-1234567890",
        "password: \"{{ .Values.password }}\"",
        "password: ${DB_PASSWORD}",
        "\"password\": \"Password\",",
        "\"password\": \"Enter your password\",",
        "password: \"current-password\"",
        "passwordField: \"user_password1\"",
        "max_tokens = 4096000000000000",
        "token_type = \"bearer1234567890\"",
        "fn private_key(&self) -> &Key {",
        "secret: \"kubernetes.io/service-account-token\"",
        "tokenizer = \"cl100k_base_model_v2\"",
        "const TOKEN_REGEX = /AKIA[0-9A-Z]{16}/;",
        "if begins(\"-----BEGIN PRIVATE KEY-----\") {}",
        "AKIAABCDEFGHIJKLMNOPQRSTUVW",
        "task-manager-sk-learn-internationalisation",
        "Basic internationalization of texts",
        "eyJhbGciOiJIUzI1NiJ9 alone",
        "sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
        "commit 0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c",
        "password: xxxxxxxxxxxx",
        "secret_key = Rails.application.credentials.secret_key_base",
        "$password = $config['password1'];",
        "password: string",
        "password: string;",
        "password?: string = undefined",
        "password: Option<String> = None,",
        "token: Token = Token::default();",
        "password: str = Field(min_length=8)",
        "password: str = os.environ[\"DB_PASSWORD_1\"]",
        "var token string = os.Getenv(\"GITHUB_TOKEN_2\")",
        "setPassword(value)",
        "setPassword(user1.password)",
        "user.setPassword(\"password\");",
        "getSecret(\"prod/database/entry-01\")",
        "secrets.get(\"prod/database/entry-01\")",
        "passwordField = \"label text\"",
        "passwordField = \"label1\"",
        "passwordLabel: String = \"Field 12\"",
        "PasswordField(\"Password1\")",
        "fields = (\"email\", \"password1\", \"password2\")",
        "form.addField(\"password\", \"input-12\")",
        "$table->string('password', 60)",
        "form.setLabel('password', 'password_confirmation1')",
        "<label>Password</label>",
        "<password>${db.password1}</password>",
        "Promise<Token>next</b>",
        "<input name=\"password\" value=\"\">",
        "ENV DB_PASSWORD=$DB_PASSWORD1",
        "ARG DB_PASSWORD",
        "mysql --password=$PASSWORD1 -u root",
        "--password <password1>",
        "--token string   the token to use",
        "# password: sha256",
        "// password: at least 8chars",
        "* password: argon2id",
        "password = hash12 if x else y",
        "this.password=computed12;",
        "const auto &password = user1Password2;",
        "for (;password=next12;) {}",
        "\"Server=db;User Id=sa;Password={0};Encrypt=true\"",
        "cd /srv;pwd",
        "oldPwd := \"/srv/app1\"",
        "url += \"?token=\" + token1",
        "if password == other12 {",
        // Seen in public repositories.
        "/* Get the value from a hash, identified by field. */",
        "XML identified as leading cause of cancer",
        "You can pass ``include_deployment_checks=True`` to also",
        " * requirepass config, so passing in NULL will set",
        "/* AUTH with this user and masterauth with master */",
        "<div>Password: <div class=\"helptext\">Choose it well</div>",
        "<input type=\"password\" value=\"Hello World\" />",
        "secret(\"older verifier\")",
        "\"password\": \"Contraseña\",",
        "\"password\": \"Mot de passe\",",
        "password: 'required|string|min:8',",
        "'password' => 'hashed',",
        "first_pass = 12",
        "bypass: true",
        "password: string\nemail: string",
        "password = raw\nself.save()",
        "INSERT INTO users (id, name) VALUES (1, 'hunter2!x');",
        "kind: SecretList\ndata:\n  a: hunter2x9",
        "client-key-data: REDACTED",
        "    client-key: /etc/kubernetes/pki/admin1.key",
    ] {
        assert_eq!(find(line), [], "{line}");
    }
}

#[test]
fn every_variable_of_an_environment_file_is_marked() {
    let text = "# of the database\nDB_HOST=localhost\nDB_PASSWORD=Tangerine-9\n";
    let kinds: Vec<_> = mark(".env", text)
        .iter()
        .map(|mark| (mark.line, mark.kind))
        .collect();
    assert_eq!(kinds, [(1, "environment value"), (2, "password")]);
    assert_eq!(mark(".env.example", "DB_HOST=localhost"), []);
}

#[test]
fn a_credential_of_several_lines_is_marked_once() {
    let text = format!("a\n-----BEGIN PRIVATE KEY-----\n{MIX}\n-----END PRIVATE KEY-----\n");
    assert_eq!(
        mark("a.txt", &text),
        [Mark {
            line: 1,
            last_line: 3,
            kind: "private key"
        }]
    );
}

#[test]
fn private_keys_are_found_line_by_line() {
    for label in ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "] {
        let block = format!(
            "-----BEGIN {label}PRIVATE KEY-----\r\n  {MIX}\r\n  {HEX}\n-----END {label}PRIVATE KEY-----"
        );
        let text = format!("a\n{block}\nb\n");
        let found = find(&text);
        let lines: Vec<&str> = found
            .iter()
            .map(|(start, end)| &text[*start as usize..*end as usize])
            .collect();
        assert_eq!(lines, block.lines().map(str::trim).collect::<Vec<_>>());
    }
    let pgp = format!(
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{MIX}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----\n"
    );
    assert_eq!(find(&pgp).len(), 4);
    let in_code =
        format!("key := \"-----BEGIN PRIVATE KEY-----\\n{MIX}\\n-----END PRIVATE KEY-----\\n\"");
    assert_eq!(
        find(&in_code),
        [(8, u32::try_from(in_code.len()).unwrap() - 3)]
    );
    let cut_off = format!("-----BEGIN PRIVATE KEY-----\n{MIX}\n{MIX}\nnot any more\n");
    assert_eq!(find(&cut_off).len(), 3);
    assert_eq!(
        find(
            "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQ\n-----END PUBLIC KEY-----"
        ),
        []
    );
    assert_eq!(
        find("-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----"),
        []
    );
}

#[test]
fn ranges_are_in_order_apart_and_on_borders_of_characters() {
    let all: Vec<String> = examples()
        .iter()
        .map(|(_, before, secret, behind)| format!("{before}{secret}{behind}\nü\n"))
        .collect();
    let all = all.concat();
    let found = find(&all);
    assert!(found.len() >= examples().len());
    assert!(found.is_sorted_by(|one, next| one.1 <= next.0));
    assert!(found.iter().all(|(start, end)| {
        all.get(*start as usize..*end as usize)
            .is_some_and(|secret| !secret.contains('\n'))
    }));
}

#[test]
fn files_that_are_never_indexed() {
    for path in [
        ".env",
        "a/.env.local",
        ".env.production",
        "prod.env",
        ".envrc",
        "server.key",
        "a/tls.pem",
        "x.p12",
        "x.pfx",
        "app.jks",
        "debug.keystore",
        "home/.ssh/id_rsa",
        "id_ed25519",
        "deploy_rsa",
        ".netrc",
        ".npmrc",
        ".pypirc",
        "credentials.json",
        "home/.aws/credentials",
        ".kube/config",
        ".htpasswd",
        "terraform.tfstate",
        "terraform.tfstate.backup",
        "Vault.kdbx",
        ".git-credentials",
        "home/.docker/config.json",
        ".pgpass",
        "AuthKey.p8",
        "key.ppk",
        "C:\\x\\.env",
        "terraform.tfvars",
        "infra/prod.auto.tfvars",
        "config/secrets.yml",
        "secrets.yaml",
        "home/.gnupg/secring.gpg",
        "secring.gpg",
        "client-cert.p12",
        "public.pfx",
        ".env.example.local",
        "public.env",
        ".env.public.local",
    ] {
        assert!(is_secret_file(path), "{path}");
    }
    for path in [
        ".env.example",
        ".env.sample",
        "a/.env.template",
        ".env.dist",
        ".env.example.yml",
        "example.env",
        "env.rs",
        "environment.ts",
        "server.crt",
        "id_rsa.pub",
        "ca.pem",
        "public.pem",
        "cert.pem",
        "key.rs",
        "keys.json",
        "package.json",
        "docker/config.json",
        "credentials.rs",
        "credentials.md",
        "main.tf",
        "config",
        "monkey",
        "secrets.rs",
        "pem.go",
        "keystore.java",
        "src/kube/config.rs",
        "terraform.tfvars.example",
        "example.tfvars",
        "variables.tf",
        "chart/templates/secrets.yaml",
        "secrets.md",
        "secrets.py",
        "secrets.example.yml",
        "pubring.gpg",
    ] {
        assert!(!is_secret_file(path), "{path}");
    }
}

#[test]
fn hostile_texts_take_linear_time() {
    for piece in [
        "eyJaaaaaaaaaa-",
        "-----BEGIN PRIVATE KEY-----\n",
        "password=",
        "password=\"",
        "://a:",
        "Bearer a",
        ":AA",
        "sk-",
        "secret:          ",
        "password(\"",
        "password\", ",
        "token string ",
        "token: x",
        ";Password=host=",
        "<token>",
        "LS0tLS1CRUdJTiBQUklW",
        "kind: Secret\n",
        "| Password |\n|--|\n",
        "INSERT INTO a (password) VALUES ('",
        "mysql -p",
        "curl -u a:",
        "password: |\n  ",
        "\"password\" {",
        "sudo -S ",
        "pass is ",
        "tokens: [\"a\",",
        "password: &a ",
        "postgres://a:b@",
    ] {
        // Four times the text may take four times as long, with room for a busy machine; sixteen times would be quadratic.
        let time = |bytes: usize| {
            let text = piece.repeat(bytes / piece.len());
            let began = std::time::Instant::now();
            find(&text);
            began.elapsed()
        };
        let mut tries = (0..10).map(|_| {
            let few = time(12_500).max(std::time::Duration::from_micros(500));
            (few, time(50_000))
        });
        assert!(tries.any(|(few, many)| many < few * 10), "{piece}");
    }
}
