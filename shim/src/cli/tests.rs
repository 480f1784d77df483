//! The command line: its verbs, its examples, and how words become calls.

use claudevil_protocol::tools::explore::Explore;
use claudevil_protocol::tools::find_symbol::FindSymbol;

use super::tool::tests::parse;
use super::*;

#[test]
fn the_command_line_is_consistent() {
    Arguments::command().debug_assert();
}

#[test]
fn every_tool_is_a_verb_or_has_one() {
    let command = Arguments::command();
    let mut verbs = command
        .get_subcommands()
        .flat_map(|verb| verb.get_all_aliases().chain([verb.get_name()]));
    let known: Vec<_> = verbs.by_ref().collect();
    for tool in claudevil_protocol::tools::TOOLS {
        let plain = match tool.name {
            "list_files" => "files",
            "read_file" => "read",
            "index_status" => "status",
            "manage_roots" => "roots",
            "manage_precise" => "precise",
            "checkpoint" | "recall" => "notes",
            name => &name.replace('_', "-"),
        };
        assert!(known.contains(&plain), "{} has no verb", tool.name);
    }
    assert!(
        Arguments::try_parse_from(["claudevil", "read"]).is_err(),
        "neither a path nor a symbol"
    );
    assert!(Arguments::try_parse_from(["claudevil", "read", "--symbol", "run"]).is_ok());
}

#[test]
fn every_verb_has_examples_that_can_be_typed() {
    for verb in Arguments::command()
        .get_subcommands()
        .filter(|verb| !verb.is_hide_set())
    {
        let help = verb
            .get_after_help()
            .map(ToString::to_string)
            .unwrap_or_default();
        let examples = help
            .lines()
            .filter_map(|line| line.strip_prefix("  claudevil "));
        // The rest of the line is a pipe, a redirection or the explanation.
        let examples: Vec<_> = examples
            .filter_map(|line| line.split("  ").next()?.split(['|', '<', '>']).next())
            .collect();
        assert!(
            !examples.is_empty() || verb.get_name() == "completions",
            "{} has no examples",
            verb.get_name()
        );
        for example in examples {
            let parsed =
                Arguments::try_parse_from(std::iter::once("claudevil").chain(words(example)));
            assert!(
                parsed.is_ok(),
                "claudevil {example}: {}",
                parsed.err().map_or_else(String::new, |e| e.to_string())
            );
        }
    }
}

/// Returns the words of a line; quotes hold them together, as in a shell.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split('\'').enumerate();
    parts.flat_map(|(at, part)| {
        if at % 2 == 1 {
            vec![part]
        } else {
            part.split_whitespace().collect()
        }
    })
}

#[test]
fn patterns_may_begin_with_a_hyphen() {
    for line in [
        "ast -$X",
        "ast --language c --$X",
        "rewrite -$X --$X --language c",
        "rewrite --language c --$X -$X --apply",
        "ast $X --inside -$Y",
    ] {
        assert!(parses(line), "{line}");
    }
    assert!(!parses("rewrite -$X --language c"), "no replacement");
}

fn parses(line: &str) -> bool {
    Arguments::try_parse_from(format!("claudevil {line}").split(' ')).is_ok()
}

#[test]
fn symbols_are_named_or_placed() {
    for right in [
        "refs Engine::run -C 2 --role call -m high -n 5",
        "find-references src/a.rs:12 --defined-in src/a.rs -f src/b.rs",
        "callers run -d 3 -n 50",
        "graph src/a.rs --open",
        "status --root engine",
        "status engine -d",
        "graph run --direction callees --depth 3 --svg out.svg",
        "graph run --html out.html --open",
        "map src --depth 2 --html out.html",
        "map --open --json",
        "graph run --format dot",
        "path main Engine::run -d 4",
        "impls Store --root engine",
        "dive run --depth full",
        "impact",
        "impact --diff main..HEAD -d 2",
        "rename run start --apply --include-low-confidence",
        "explore how is it parsed -l rust",
        "explore -",
        "explore --file issue.md",
    ] {
        assert!(parses(right), "{right}");
    }
    for wrong in [
        "refs",
        "refs run --role nonsense",
        "refs run -m sure",
        "graph run --format dot --open",
        "graph run --format dot --html out.html",
        "path main",
        "impact run --diff working",
        "rename run",
        "explore",
        "explore --file issue.md how is it parsed",
    ] {
        assert!(!parses(wrong), "{wrong}");
    }
}

#[test]
fn notes_and_plans_are_kept_listed_and_found() {
    for right in [
        "notes",
        "notes list -t lexer -t parser --since 7d -n 50",
        "notes search why is it lazy --root engine",
        "notes show lexer",
        "notes add it is lazy -t lexer -s Parser::next -f src/a.rs",
        "notes add -",
        "plan",
        "plan show",
        "plan show lexer --root engine",
        "plan list",
        "plan save lexer text --root engine",
        "plan save lexer -",
        "plan activate lexer",
        "plan complete",
    ] {
        assert!(parses(right), "{right}");
    }
    let plan =
        Arguments::try_parse_from(["claudevil", "plan", "save", "Lexer", "- [ ] a", "--json"])
            .expect("typed");
    assert!(
        plan.json,
        "a text may begin with a dash, and options stand behind it"
    );
    for wrong in [
        "notes search",
        "notes show",
        "notes nonsense",
        "plan save",
        "plan activate",
        "plan nonsense",
    ] {
        assert!(!parses(wrong), "{wrong}");
    }
}

#[test]
fn files_and_projects_take_the_options_that_fit_together() {
    for right in [
        "files",
        "files ^src/ --regex -l rust -s recent -n 5 --cursor path:a.rs --root engine",
        "read src/main.rs:10-40 -C 3 --root engine",
        "read -s run --context 2",
        "status --watch",
        "status engine --detailed",
        "reindex src -f -w --chunk-size 400 --overlap 50 --root engine",
        "roots add . --name core --include src/** --include docs/** --exclude vendor/**",
        "roots remove core -y",
    ] {
        assert!(parses(right), "{right}");
    }
    for wrong in [
        "files --regex",
        "files --sort colour",
        "status engine --root engine",
        "status --watch --detailed",
        "roots remove",
    ] {
        assert!(!parses(wrong), "{wrong}");
    }
}

#[test]
fn searching_takes_words_and_one_way_to_look() {
    for right in [
        "search how are tokens counted",
        "search -F foo( -C 2 -p src/**",
        "search -E fo+ -l rust --all-roots",
        "search count -k method -t definitions --mode keyword -n 5 --detailed --cursor 1:2:a",
        "search -- -foo bar",
        "similar src/a.rs:12 -n 3",
        "similar --code - --root engine",
        "find-similar --code ->next",
    ] {
        assert!(parses(right), "{right}");
    }
    for wrong in [
        "search",
        "search -F -E foo",
        "search -F --mode regex foo",
        "search foo --all-roots --root engine",
        "search foo -k nonsense",
        "similar",
        "similar src/a.rs:12 --code x",
    ] {
        assert!(!parses(wrong), "{wrong}");
    }
}

#[test]
fn words_are_one_question_and_all_roots_are_a_root() {
    for (line, root) in [
        ("claudevil symbol run", None),
        ("claudevil symbol run --root engine", Some("engine")),
        ("claudevil symbol run --all-roots", Some("*")),
    ] {
        let params: FindSymbol = parse(line, &str::to_owned);
        assert_eq!(params.root.as_deref(), root, "{line}");
    }
    let line = "claudevil explore how is it -p src/** parsed";
    let params: Explore = parse(line, &str::to_owned);
    assert_eq!(params.question, "how is it parsed");
    assert_eq!(params.max_tokens, Some(10_000));
}

#[test]
fn every_command_of_the_pages_can_be_typed() {
    let folder = std::path::Path::new("..");
    let pages = std::fs::read_dir(folder.join("docs"))
        .expect("pages")
        .flatten()
        .map(|entry| entry.path());
    let pages = pages.filter(|path| path.is_file());
    let mut typed = 0;
    for page in pages.chain([folder.join("README.md")]) {
        let text = std::fs::read_to_string(&page).expect("readable");
        let lines = text
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("$ claudevil "));
        for line in lines {
            // The rest is the shell's.
            let line = line.split(" 2>").next().unwrap_or(line);
            let line = line.split(" | ").next().unwrap_or(line);
            let parsed = Arguments::try_parse_from(std::iter::once("claudevil").chain(words(line)));
            assert!(parsed.is_ok(), "{}: claudevil {line}", page.display());
            typed += 1;
        }
    }
    assert!(typed > 30, "only {typed} commands were found");
}

#[test]
fn the_text_of_an_edit_may_begin_with_a_hyphen() {
    for text in ["-- Counts.", "-1", "--file"] {
        let line = ["claudevil", "edit", "run", "insert_before", "--text", text];
        assert!(Arguments::try_parse_from(line).is_ok(), "{text}");
    }
}
