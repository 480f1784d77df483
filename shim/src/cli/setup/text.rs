//! Edits of a configuration's text, whatever its format.

use serde_json::Value;

use super::clients::{Client, Format, SERVER};
use super::config_text::{Section, StrippedText, Unreadable};
use super::entry::Field;
use super::{json, toml};

pub fn put(client: &Client, text: &str, fields: &[Field]) -> Result<(String, Section), Unreadable> {
    match client.format {
        Format::Json => json::put(text, client.section, SERVER, fields),
        Format::Toml => toml::put(text, client.section, SERVER, fields),
    }
}

/// Removes our entry, and the section that held it if we made that and nothing else is in it.
pub fn take(
    client: &Client,
    text: &str,
    emptied: Section,
) -> Result<Option<StrippedText>, Unreadable> {
    match client.format {
        Format::Json => json::take(text, client.section, SERVER, emptied),
        Format::Toml => toml::take(text, client.section, SERVER, emptied),
    }
}

pub fn get(client: &Client, text: &str) -> Result<Option<Value>, Unreadable> {
    match client.format {
        Format::Json => json::get(text, client.section, SERVER),
        Format::Toml => toml::get(text, client.section, SERVER),
    }
}

#[cfg(test)]
mod tests {
    use super::super::clients::find;
    use super::super::entry::Server;
    use super::*;

    fn server() -> Server {
        Server {
            command: "/bin/claudevil-mcp".into(),
            launcher: vec![],
            arguments: None,
            variables: vec![],
        }
    }

    fn with(id: &str, text: &str) -> Result<(String, Section), Unreadable> {
        let client = find(id).expect("a client");
        put(client, text, &server().fields(client.shape))
    }

    fn without(id: &str, text: &str, emptied: Section) -> String {
        take(find(id).expect("a client"), text, emptied)
            .expect("readable")
            .expect("there")
            .text
    }

    #[test]
    fn a_new_file_is_what_the_client_expects() {
        let (text, section) = with("vscode", "").expect("written");
        assert_eq!(section, Section::Made);
        assert_eq!(
            text,
            "{\n  \"servers\": {\n    \"claudevil\": {\n      \"type\": \"stdio\",\n      \"command\": \"/bin/claudevil-mcp\",\n      \
             \"args\": []\n    }\n  }\n}\n"
        );
        let (text, _) = with("codex", "").expect("written");
        assert_eq!(
            text,
            "[mcp_servers.claudevil]\ncommand = \"/bin/claudevil-mcp\"\nargs = []\n"
        );
    }

    /// Texts as people write them. Adding and removing an entry leaves every byte as before.
    const JSON: &[&str] = &[
        "{}",
        "{}\n",
        "{\n  \"theme\": \"dark\"\n}",
        "{\n\t\"theme\": \"dark\" // at night\n}\n",
        "{\r\n    \"theme\": \"dark\",\r\n    /* all of them */\r\n    \"mcpServers\": {\r\n        \"other\": { \"command\": \"x\" }\r\n    }\r\n}\r\n",
        "{\n  // first\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\", \"args\": [\"a\"],}, // why\n    // last\n  },\n  \"more\": [1, 2],\n}\n",
        "{\"mcpServers\":{\"other\":{\"command\":\"x\"}},\"n\":1.50e3}",
        "\u{feff}{\n  \"a\": \"\\u00e9\"\n}\n",
        "// all of it\n{\n  \"mcpServers\": {\n    \"other\": {}\n  }\n}\n// end\n",
    ];

    #[test]
    fn json_is_as_before_once_the_entry_is_taken_out() {
        for before in JSON {
            let (after, section) =
                with("cursor", before).unwrap_or_else(|error| panic!("{before}: {error:?}"));
            let client = find("cursor").expect("a client");
            let found = get(client, &after)
                .expect("readable")
                .unwrap_or_else(|| panic!("not in {after}"));
            assert_eq!(found["command"], "/bin/claudevil-mcp", "{after}");
            for comment in before
                .lines()
                .filter_map(|line| line.find("//").map(|at| &line[at..]))
            {
                assert!(after.contains(comment), "{comment} is not in {after}");
            }
            assert_eq!(
                with("cursor", &after),
                Ok((after.clone(), Section::There)),
                "twice is once"
            );
            // A text on one line is broken into lines when an entry is added, and stays so.
            let plain = |text: &str| {
                if before.contains('\n') {
                    text.to_owned()
                } else {
                    text.replace(['\n', ' '], "")
                }
            };
            assert_eq!(
                plain(&without("cursor", &after, section)),
                **before,
                "by way of {after}"
            );
        }
    }

    const TOML: &[&str] = &[
        "",
        "model = \"o9\"\n",
        "# mine\nmodel = \"o9\" # best\n\n# servers\n[mcp_servers.other]\ncommand = \"x\" # y\n\n[mcp_servers.other.env]\nA = \"b\"\n",
        "[mcp_servers.other]\r\ncommand = \"x\"\r\n\r\n[tools]\r\nweb = true\r\n",
        "[tools]\nweb = true\n\n# the end\n",
        "[mcp_servers]\n\n[tools]\nlist = [\n  1, # one\n  2,\n]\ntext = '''\na\nb'''\n",
    ];

    #[test]
    fn toml_is_as_before_once_the_entry_is_taken_out() {
        for before in TOML {
            let (after, section) =
                with("codex", before).unwrap_or_else(|error| panic!("{before}: {error:?}"));
            assert!(after.starts_with(before), "{after}");
            let found = get(find("codex").expect("a client"), &after)
                .expect("readable")
                .expect("there");
            assert_eq!(found["command"], "/bin/claudevil-mcp", "{after}");
            assert_eq!(
                with("codex", &after),
                Ok((after.clone(), Section::There)),
                "twice is once"
            );
            assert_eq!(
                without("codex", &after, section).trim_end(),
                before.trim_end(),
                "by way of {after}"
            );
        }
    }

    #[test]
    fn an_entry_that_is_there_is_corrected_where_it_stands() {
        let before = "{\n  \"mcpServers\": {\n    \"claudevil\": {\n      // moved\n      \"command\": \"/old\", // here\n      \"args\": [\"--read-only\"]\n    },\n    \"z\": {}\n  }\n}\n";
        let after = with("windsurf", before).expect("written").0;
        assert_eq!(after, before.replace("/old", "/bin/claudevil-mcp"));
        let before = "[mcp_servers.claudevil]\ncommand = \"/old\" # here\nargs = [\"--read-only\"]\nstartup_timeout_sec = 20\n\n[z]\n";
        let after = with("codex", before).expect("written").0;
        assert_eq!(after, before.replace("/old", "/bin/claudevil-mcp"));
        let before = "mcp_servers = { other = { command = \"x\" } } # one line\n";
        let after = with("codex", before).expect("written").0;
        assert!(
            after.contains("claudevil = {") && after.ends_with("# one line\n"),
            "{after}"
        );
        assert_eq!(with("codex", &after).expect("written").0, after);
    }

    #[test]
    fn malformed_configurations_are_left_alone() {
        let json = |text: &str| with("cursor", text).expect_err(text).0;
        assert!(
            json("{ \"mcpServers\": ").contains("it is not JSON"),
            "{}",
            json("{ \"mcpServers\": ")
        );
        assert_eq!(json("[]"), "its top level is not an object");
        assert_eq!(
            json("{ \"mcpServers\": [] }"),
            "its `mcpServers` is not an object"
        );
        assert_eq!(
            json("{ \"mcpServers\": { \"claudevil\": true } }"),
            "its `claudevil` is not an object"
        );
        assert_eq!(
            json("{ \"mcpServers\": {}, \"mcpServers\": {} }"),
            "`mcpServers` appears twice"
        );
        let toml = |text: &str| with("codex", text).expect_err(text).0;
        assert!(
            toml("a = \nb = 2\n").starts_with("it is not TOML: line 1, column 5"),
            "{}",
            toml("a = \nb = 2\n")
        );
        assert_eq!(
            toml("mcp_servers = 1\n"),
            "its `mcp_servers` is not a table"
        );
    }

    #[test]
    fn nothing_is_taken_out_of_what_has_nothing_of_ours() {
        for (id, text) in [
            ("cursor", ""),
            ("cursor", "{}"),
            ("zed", "{\"context_servers\":{}}"),
            ("codex", "a = 1\n"),
        ] {
            assert_eq!(
                take(find(id).expect("a client"), text, Section::Made),
                Ok(None),
                "{text}"
            );
        }
        let kept = without(
            "cursor",
            "{\"mcpServers\": {\"claudevil\": {}}}",
            Section::There,
        );
        assert_eq!(kept, "{\"mcpServers\": {}}");
    }
}
