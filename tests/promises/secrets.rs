//! Secrets are not stored: canaries of many kinds are searched for in every byte and every word of the index.

use std::fs;
use std::path::Path;

use claudevil_tests::home::Home;
use claudevil_tests::questions::{Questions, skipped};
use libtest_mimic::Trial;
use serde_json::json;

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "23_no_canary_is_stored",
            Needs::Nothing,
            no_canary_is_stored,
        ),
        proof(
            "23_no_search_shows_a_canary",
            Needs::Nothing,
            no_search_shows_a_canary,
        ),
    ]
}

/// A file, the text before the canary, and the text after it. The canary is generated from the number of its row, so that this
/// file holds none; `#` stands for capitals and digits, `x` for hexadecimal digits, `*` for letters and digits.
#[rustfmt::skip]
const CANARIES: &[(&str, &str, &str, usize, &str)] = &[
    ("src/aws.py", "KEY = 'AKIA", "#", 16, "'\n"),
    ("src/aws_secret.py", "aws_secret_access_key = \"", "*", 40, "\"\n"),
    ("src/github.rs", "const TOKEN: &str = \"ghp_", "*", 36, "\";\n"),
    ("src/github_new.js", "export const pat = 'github_pat_", "*", 60, "';\n"),
    ("src/gitlab.go", "package main\n\nvar token = \"glpat-", "*", 20, "\"\n"),
    ("src/slack.py", "SLACK = 'xoxb-", "*", 30, "'\n"),
    ("docs/webhook.md", "Post to https://hooks.slack.com/services/T00000000/B00000000/", "*", 24, " please.\n"),
    ("src/google.py", "key = \"AIza", "*", 35, "\"\n"),
    ("src/stripe.js", "key = 'sk_live_", "*", 24, "';\n"),
    ("src/twilio.js", "const sid = \"SK", "x", 32, "\";\n"),
    ("src/sendgrid.js", "const k = \"SG.abcdefghijklmnopqrstuv.", "*", 43, "\";\n"),
    ("src/npm.sh", "echo \"//registry.npmjs.org/:_authToken=npm_", "*", 36, "\"\n"),
    ("src/pypi.cfg", "password = pypi-AgEIcHlwaS5vcmc", "*", 60, "\n"),
    ("src/anthropic.py", "client = Client('sk-ant-api03-", "*", 64, "')\n"),
    ("src/openai.js", "const key = `sk-proj-", "*", 48, "`;\n"),
    ("src/hugging.py", "login('hf_", "*", 34, "')\n"),
    ("src/digitalocean.tf", "variable \"t\" { default = \"dop_v1_", "x", 64, "\" }\n"),
    ("src/jwt.js", "const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.", "*", 43, "';\n"),
    ("src/url.rs", "/// Connects to postgres://ada:", "*", 14, "@db.internal/engine.\npub fn connect() {}\n"),
    ("src/bearer.sh", "curl -H 'Authorization: Bearer ", "*", 40, "' https://api.internal\n"),
    ("src/password.yaml", "database:\n  password: \"", "*", 16, "\"\n"),
    ("src/doc.rs", "/// The password is `x`, e.g. password = \"", "*", 18, "\".\npub fn sign_in() {}\n"),
    ("src/signature.py", "def connect(password=\"", "*", 18, "\"):\n    pass\n"),
    ("src/appsettings.json", "{ \"ConnectionString\": \"AccountName=a;AccountKey=", "*", 86, "==\" }\n"),
    ("src/key.rs", "pub const PEM: &str = \"-----BEGIN RSA PRIVATE KEY-----\n", "*", 64, "\n-----END RSA PRIVATE KEY-----\";\n"),
    ("src/typed.rs", "const API_KEY: &str = \"", "*", 24, "\";\n"),
    ("src/typed.ts", "export class A { private apiKey: string = '", "*", 24, "'; }\n"),
    ("src/typed.kt", "val dbPassword: String = \"", "*", 12, "\"\n"),
    ("src/typed.swift", "let accessToken: String = \"", "*", 24, "\"\n"),
    ("src/typed.py", "api_key: str = \"", "*", 24, "\"\n"),
    ("src/typed.go", "package main\n\nvar apiKey string = \"", "*", 24, "\"\n"),
    ("Dockerfile", "FROM scratch\nENV APP_PASSWORD=", "*", 12, "\n"),
    ("src/Dockerfile", "FROM scratch\nARG APP_PASSWORD=", "*", 12, "\n"),
    ("src/config.php", "<?php\ndefine('DB_PASSWORD', '", "*", 12, "');\n"),
    ("src/Login.java", "class Login { void a(User u) { u.setPassword(\"", "*", 12, "\"); } }\n"),
    ("src/connection.json", "{ \"db\": \"Server=db;User Id=sa;Password=", "*", 12, ";Encrypt=true\" }\n"),
    ("src/backup.sh", "mysqldump --password=", "*", 12, " --all-databases\n"),
    ("src/settings.xml", "<server><password>", "*", 12, "</password></server>\n"),
    ("deploy/admin.conf", "users:\n- user:\n    client-key-data: ", "*", 64, "\n"),
    ("src/comment.rb", "# password: ", "*", 12, "\n"),
    ("id_rsa", "-----BEGIN OPENSSH PRIVATE KEY-----\n", "*", 64, "\n-----END OPENSSH PRIVATE KEY-----\n"),
    ("deploy/server.pem", "-----BEGIN PRIVATE KEY-----\n", "*", 64, "\n-----END PRIVATE KEY-----\n"),
    (".env", "PLAIN=", "*", 12, "\n"),
    ("config/.env.production", "WHATEVER=", "*", 12, "\n"),
    (".netrc", "machine host login ada password ", "*", 12, "\n"),
    (".npmrc", "//registry.internal/:_password=", "*", 24, "\n"),
    ("infra/prod.tfstate", "{\"value\": \"", "*", 20, "\"}\n"),
    ("infra/terraform.tfvars", "value = \"", "*", 20, "\"\n"),
    ("config/secrets.yml", "production:\n  value: ", "*", 20, "\n"),
    ("keys/secring.gpg", "", "*", 64, "\n"),
    ("keys/client-cert.p12", "", "*", 64, "\n"),
];
/// Number of files that are secret as a whole.
const SECRET_FILES: usize = 11;

/// Plants the canaries, with these words on a line before and after each.
fn plant(project: &Path, words: &str) -> Vec<(&'static str, String)> {
    let mut canaries = vec![];
    for (number, (file, before, alphabet, length, after)) in CANARIES.iter().enumerate() {
        let canary = canary(number, alphabet, *length);
        let path = project.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, format!("{words}{before}{canary}{after}{words}")).expect("written");
        canaries.push((*file, canary));
    }
    canaries
}

/// No query shows a canary, before there is an index and after: neither a query for it nor one for text beside it.
async fn no_search_shows_a_canary() {
    let home = Home::new();
    let project = home.project("engine");
    let canaries = plant(&project, "zebrafinch\n");
    let mut questions = Questions::start(&home, &project).await;
    let mut asked = 0;
    for is_indexed in [false, true] {
        if is_indexed {
            questions.embedded().await;
        }
        let around = [
            ("literal", "zebrafinch"),
            ("regex", "zebra.*"),
            ("regex", ".+"),
            ("keyword", "zebrafinch OR token OR password OR key"),
            ("auto", "zebrafinch password token key"),
            ("auto", "connect"),
            ("semantic", "the password of the database"),
        ];
        let mut queries: Vec<(&str, String)> = around
            .map(|(mode, query)| (mode, query.to_owned()))
            .to_vec();
        if is_indexed {
            for (_, canary) in &canaries {
                queries.push(("literal", canary.clone()));
                queries.push(("regex", format!("{}.*", &canary[..canary.len() / 2])));
                queries.push(("keyword", canary.clone()));
            }
        }
        for (mode, query) in queries {
            let is_canary = canaries
                .iter()
                .any(|(_, canary)| query.starts_with(&canary[..canary.len() / 2]));
            for context in [None, Some(100)].into_iter().skip(usize::from(is_canary)) {
                let mut question =
                    json!({ "query": query, "mode": mode, "limit": 100, "max_tokens": 10000 });
                if let Some(context) = context {
                    question["context_lines"] = json!(context);
                }
                let answer = questions.ask("search", question).await.expect("an answer");
                asked += 1;
                // The answer repeats the query, which is no secret to its caller.
                let shown = answer["results"].to_string().to_ascii_lowercase();
                for (file, canary) in &canaries {
                    let half = canary[..canary.len() / 2].to_ascii_lowercase();
                    assert!(
                        !shown.contains(&half),
                        "{mode} {query} shows that of {file}: {shown}"
                    );
                }
                let is_whole = answer["coverage"]["unsearched"] == 0;
                if query == "zebrafinch" && (is_indexed || is_whole) {
                    let found = answer["total"].as_u64();
                    assert!(
                        found > Some(30),
                        "{mode} looks at them all the same: {answer}"
                    );
                } else if is_canary {
                    assert_eq!(answer["total"], 0, "{mode} {query}: {answer}");
                }
            }
        }
    }
    crate::measured(&format!(
        "{} canaries in none of {asked} answers",
        canaries.len()
    ));
}

async fn no_canary_is_stored() {
    let home = Home::new();
    let project = home.project("engine");
    let canaries = plant(&project, "");
    // A control: it is no secret, and must be found where canaries are searched for.
    fs::write(
        project.join("src/control.rs"),
        "/// Speaks of zebrafinch.\npub fn control() {}\n",
    )
    .expect("written");
    let mut questions = Questions::start(&home, &project).await;
    let status = questions.settled().await;
    questions.until_found("sign_in", &["src/doc.rs"]).await;
    for file in &canaries[CANARIES.len() - SECRET_FILES..] {
        assert_eq!(
            skipped(&status, file.0),
            Some("secret"),
            "{}: {status}",
            file.0
        );
    }
    let redacted = status["index"]["redacted_secrets"]
        .as_u64()
        .expect("a number");
    assert!(
        redacted >= (CANARIES.len() - SECRET_FILES) as u64,
        "{redacted} were left out"
    );
    let mut everything = vec![(
        "the words of the index".to_owned(),
        stop_and_dump_words(&home).await,
    )];
    assert!(
        holds(&everything[0].1, b"zebrafinch") && holds(&everything[0].1, b"src/control.rs"),
        "the control"
    );
    gather(&home.claudevil_home(), &mut everything);
    let mut leaked = vec![];
    for (file, canary) in &canaries {
        // Words are stored in lower case; half of a canary would be too much as well.
        let canary = canary.to_ascii_lowercase();
        let half = &canary.as_bytes()[..canary.len() / 2];
        leaked.extend(
            everything
                .iter()
                .filter(|(_, bytes)| holds(bytes, half))
                .map(|(place, _)| format!("{file}: {place}")),
        );
    }
    assert!(leaked.is_empty(), "stored: {leaked:#?}");
    let bytes: usize = everything.iter().map(|(_, bytes)| bytes.len()).sum();
    crate::measured(&format!(
        "{} canaries in none of {bytes} bytes of {} places",
        canaries.len(),
        everything.len()
    ));
}

/// Returns a text that looks random, and is the same in each run.
fn canary(number: usize, alphabet: &str, length: usize) -> String {
    let letters: &[u8] = match alphabet {
        "#" => b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789",
        "x" => b"0123456789abcdef",
        _ => b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789",
    };
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(number as u64 + 11);
    let mut next = |from: &[u8]| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(state >> 40).expect("it has 24 bits") % from.len();
        char::from(from[at])
    };
    // At least a digit, a capital and a small letter, as such secrets have.
    let mut canary: String = (3..length).map(|_| next(letters)).collect();
    canary.push_str(match alphabet {
        "#" => "Q7Z",
        "x" => "a7f",
        _ => "q7Z",
    });
    canary
}

/// Returns the words of the text index, in lower case. Stops the daemon before.
pub async fn stop_and_dump_words(home: &Home) -> Vec<u8> {
    let stopped = home.claudevil(&["daemon", "stop"]).await;
    assert!(stopped.status.success(), "{stopped:?}");
    home.gone().await;
    let words = home
        .command("claudevild")
        .args(["dump", "--words"])
        .output()
        .await
        .expect("it runs");
    assert!(words.status.success(), "{words:?}");
    words.stdout.to_ascii_lowercase()
}

pub fn gather(folder: &Path, to: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).expect("readable").flatten() {
        let path = entry.path();
        match entry.file_type().expect("a type") {
            kind if kind.is_dir() => gather(&path, to),
            kind if kind.is_file() => {
                to.push((
                    path.display().to_string(),
                    fs::read(&path).expect("readable").to_ascii_lowercase(),
                ));
            }
            _ => {}
        }
    }
}

pub fn holds(bytes: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(bytes, part).is_some()
}
