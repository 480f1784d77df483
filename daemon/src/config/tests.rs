//! Settings from the file, the environment and the command line.

use super::*;
use claudevil_child::vectors::sharing::Access;

use crate::embed::RemoteSettings;

fn load(text: &str, variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let scratch = tempfile::tempdir().expect("a directory");
    let file = scratch.path().join("config.toml");
    fs::write(&file, text).expect("written");
    let variables = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).into()))
        .collect();
    Config::load(
        &file,
        scratch.path(),
        &Sources {
            variables,
            ..Sources::default()
        },
    )
}

fn setting<'a>(config: &'a Config, key: &str) -> &'a Setting {
    config
        .settings
        .iter()
        .find(|setting| setting.key == key)
        .expect("a setting")
}

#[test]
fn variables_win_over_the_file_and_the_file_over_defaults() {
    let config = load(
        "max_calls = 8\nlog_days = 3\n",
        &[("CLAUDEVIL_LOG_DAYS", "5")],
    )
    .expect("valid");
    assert_eq!(
        (config.max_calls, config.log_days, config.max_connections),
        (8, 5, 256)
    );
    assert_eq!(setting(&config, "log_days").source, "CLAUDEVIL_LOG_DAYS");
    assert!(
        setting(&config, "max_calls")
            .source
            .ends_with("config.toml")
    );
    assert_eq!(setting(&config, "max_connections").source, "default");
}

#[test]
fn a_bad_value_names_its_key_source_and_range() {
    let error = load("max_calls = 0\n", &[])
        .expect_err("out of range")
        .to_string();
    assert!(
        error.contains("max_calls = 0") && error.contains("1 to 1000"),
        "{error}"
    );
    assert!(error.contains("config.toml): expected"), "{error}");
    let sources = Sources {
        command_line: [("max_calls".to_owned(), "0".to_owned())].into(),
        ..Sources::default()
    };
    let error = Config::load(Path::new("/none"), Path::new("/none"), &sources)
        .expect_err("out of range")
        .to_string();
    assert_eq!(error, "max_calls = 0: expected 1 to 1000");
    let error = load("\nmax_calls = \n", &[])
        .expect_err("malformed")
        .to_string();
    assert!(error.contains("line 2"), "{error}");
}

#[test]
fn the_model_is_one_of_those_that_are_known() {
    let chosen = |text: &str| load(text, &[]).expect("valid").embedder.choice;
    assert_eq!(chosen(""), embed::Choice::Static);
    assert_eq!(chosen("embedder = \"none\"\n"), embed::Choice::None);
    assert_eq!(chosen("embedder = \"remote\"\n"), embed::Choice::Remote);
    let named = embed::Choice::Named("all-minilm-l6-v2".to_owned());
    assert_eq!(chosen("embedder = \"all-minilm-l6-v2\"\n"), named);
    let error = load("", &[("CLAUDEVIL_EMBEDDER", "large")])
        .expect_err("unknown")
        .to_string();
    assert!(
        error.contains("embedder = large") && error.contains(embed::Choice::EXPECTED),
        "{error}"
    );
}

#[test]
fn a_key_is_taken_from_the_named_variable_and_shown_nowhere() {
    let text = "embedder_key_variable = \"MY_KEY\"\nembedder_query_prefix = \"query: \"\n";
    let config = load(
        text,
        &[("MY_KEY", "s3cret"), ("CLAUDEVIL_EMBEDDER_KEY", "another")],
    )
    .expect("valid");
    let remote = &config.embedder.remote;
    assert_eq!(remote.key.as_ref().map(embed::Key::reveal), Some("s3cret"));
    assert_eq!(remote.prefixes.query, "query: ");
    assert!(!format!("{config:?}").contains("s3cret"));
    assert!(
        load("embedder_key = \"s3cret\"\n", &[])
            .expect("valid")
            .warnings[0]
            .contains("not a known key")
    );
    let error = load("embedder_url = \"ftp://a\"\n", &[])
        .expect_err("no address")
        .to_string();
    assert!(error.contains("embedder_url = ftp://a"), "{error}");
}

#[test]
fn no_variable_decides_where_text_is_sent() {
    let variables = [
        ("CLAUDEVIL_EMBEDDER", "remote"),
        ("CLAUDEVIL_EMBEDDER_URL", "http://elsewhere.example/v1"),
        ("CLAUDEVIL_EMBEDDER_MODEL", "theirs"),
        ("CLAUDEVIL_EMBEDDER_PROXY", "http://elsewhere.example:3128"),
        ("CLAUDEVIL_EMBEDDER_KEY_VARIABLE", "AWS_SECRET_ACCESS_KEY"),
        ("AWS_SECRET_ACCESS_KEY", "s3cret"),
    ];
    let config = load("", &variables).expect("valid");
    assert_eq!(config.embedder.choice, embed::Choice::Static);
    assert_eq!(config.ignored.len(), 5, "{:?}", config.ignored);
    assert_eq!(config.ignored, config.warnings);
    assert!(
        config.ignored[0].starts_with("CLAUDEVIL_EMBEDDER is set in the environment and ignored")
    );
    let text = "embedder = \"remote\"\nembedder_url = \"http://ours.example/v1\"\nembedder_model = \"ours\"\n";
    let RemoteSettings {
        url,
        model,
        proxy,
        key,
        ..
    } = load(text, &variables).expect("valid").embedder.remote;
    assert_eq!(
        (url.as_str(), model.as_str(), proxy, key),
        ("http://ours.example/v1", "ours", None, None)
    );
    // What keeps text here may come from anywhere.
    assert_eq!(
        load(text, &[("CLAUDEVIL_EMBEDDER", "none")])
            .expect("valid")
            .embedder
            .choice,
        embed::Choice::None
    );
}

#[test]
fn proxies_of_the_environment_are_named_where_they_would_have_been_used() {
    let proxy = [("HTTPS_PROXY", "http://proxy.example:3128")];
    assert!(load("", &proxy).expect("valid").ignored.is_empty());
    let remote = |rest: &str| {
        format!("embedder = \"remote\"\nembedder_url = \"https://ours.example/v1\"\n{rest}")
    };
    let config = load(&remote(""), &proxy).expect("valid");
    assert!(
        config.ignored[0].starts_with("HTTPS_PROXY: not used"),
        "{:?}",
        config.ignored
    );
    let config = load(
        &remote("embedder_proxy = \"http://ada:s3cret@proxy.example\"\n"),
        &proxy,
    )
    .expect("valid");
    assert_eq!(
        config.embedder.remote.proxy.as_deref(),
        Some("http://ada:s3cret@proxy.example")
    );
    assert!(config.ignored.is_empty());
    assert_eq!(
        setting(&config, "embedder_proxy").value,
        "http://****@proxy.example"
    );
    assert!(load(&remote("embedder_proxy = \"proxy.example\"\n"), &[]).is_err());
}

#[test]
fn an_unknown_key_is_a_warning() {
    let config = load("max_cals = 8\n", &[]).expect("valid");
    assert!(config.warnings[0].contains("`max_cals` is not a known key"));
}

#[test]
fn no_idle_exit_is_written_as_zero() {
    assert_eq!(
        load("idle_exit_seconds = 0\n", &[])
            .expect("valid")
            .idle_exit,
        None
    );
}

const SHARED: &str =
    "[vectors]\nshared = \"s3://bucket/team/\"\nsecret = \"0123456789abcdef0123456789abcdef\"\n";

#[test]
fn shared_vectors_are_set_in_the_file_alone_and_the_secret_is_never_shown() {
    let variables = [
        ("CLAUDEVIL_VECTORS_SHARED", "s3://elsewhere/x"),
        ("AWS_ACCESS_KEY_ID", "of the unit"),
        ("AWS_ENDPOINT_URL", "http://elsewhere"),
        ("HOME", "/home/ada"),
    ];
    let config = load(SHARED, &variables).expect("valid");
    let sharing = config.index.sharing.expect("set");
    assert_eq!(sharing.store.location, "s3://bucket/team");
    assert_eq!(sharing.store.access, Access::ReadAndWrite);
    let names: Vec<_> = sharing
        .environment
        .iter()
        .map(|(name, _)| &**name)
        .collect();
    assert_eq!(names, ["HOME", "AWS_ACCESS_KEY_ID"]);
    assert!(config.ignored[0].contains("CLAUDEVIL_VECTORS_SHARED"));
    assert_eq!(config.warnings.len(), 1, "{:?}", config.warnings);
    let shown = format!("{:?} {:?}", config.settings, sharing.store);
    assert!(!shown.contains("0123456789abcdef"), "{shown}");
    let profile = format!("{SHARED}profile = \"team\"\nread_only = true\nsecrte = 1\n");
    let config = load(&profile, &variables).expect("valid");
    assert!(config.warnings[0].contains("`vectors.secrte` is not a known key"));
    let sharing = config.index.sharing.expect("set");
    assert_eq!(sharing.store.access, Access::Read);
    let names = sharing.environment.iter().map(|(name, _)| &**name);
    assert!(
        names.eq(["HOME", "AWS_PROFILE", "CLAUDEVIL_AZURE_PROFILE"]),
        "{:?}",
        sharing.environment
    );
}

#[test]
fn shared_vectors_need_a_place_that_is_supported_and_a_secret_that_cannot_be_guessed() {
    for wrong in ["s3://", "gs://bucket", "folder", "http://host/x"] {
        let text = SHARED.replace("s3://bucket/team/", wrong);
        assert!(load(&text, &[]).is_err(), "{wrong}");
    }
    let error = load(
        &SHARED.replace("0123456789abcdef0123456789abcdef", "hunter2"),
        &[],
    )
    .expect_err("short")
    .to_string();
    assert!(
        error.contains("vectors.secret") && !error.contains("hunter2"),
        "{error}"
    );
    assert!(load("", &[]).expect("valid").index.sharing.is_none());
}
