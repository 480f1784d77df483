//! Asks about one project until the answers settle.
//!
//! States are polled with a pause and a bound.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::home::Home;
use crate::mcp::Session;

/// A time limit that is enough even on a machine that builds something else meanwhile.
pub const PATIENCE: Duration = Duration::from_secs(120);

pub struct Questions {
    session: Session,
}

impl Questions {
    pub async fn start(home: &Home, project: &Path) -> Self {
        Self {
            session: Session::start(home, project, &["--toolsets", "all"]).await,
        }
    }

    /// Returns the answer of a tool as JSON, or its error as text.
    pub async fn ask(&mut self, tool: &str, mut arguments: Value) -> Result<Value, String> {
        arguments["format"] = json!("json");
        let (text, is_error) = self.session.call(tool, arguments).await;
        if is_error {
            return Err(text);
        }
        Ok(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
    }

    /// Returns the answer of a tool once it has every change made before: one that says it may lack some is asked for again.
    pub async fn ask_until_current(
        &mut self,
        tool: &str,
        arguments: Value,
    ) -> Result<Value, String> {
        let started = Instant::now();
        loop {
            let answer = self.ask(tool, arguments.clone()).await?;
            let freshness = &answer["freshness"];
            if freshness["partial"].is_null()
                && freshness["stale_total"] == 0
                && freshness["note"].is_null()
            {
                return Ok(answer);
            }
            assert!(
                started.elapsed() < PATIENCE,
                "{tool} is still behind: {freshness}"
            );
            crate::pause().await;
        }
    }

    /// Waits until the index has every change made before.
    pub async fn caught_up(&mut self) {
        let listed = self.ask_until_current("list_files", json!({ "limit": 1 }));
        listed.await.expect("files");
    }

    /// Calls a tool that changes files, once: a change that was made is not made again.
    pub async fn change(&mut self, tool: &str, mut arguments: Value) -> Result<Value, String> {
        self.caught_up().await;
        arguments["dry_run"] = json!(false);
        self.ask(tool, arguments).await
    }

    /// Returns the project's part of `index_status`.
    pub async fn status(&mut self) -> Value {
        let status = self.ask("index_status", json!({})).await.expect("a status");
        let roots = status["roots"].as_array().cloned().unwrap_or_default();
        roots
            .into_iter()
            .find(|root| root["is_session"] == true)
            .expect("the session's root")
    }

    /// Returns the status, once it meets a condition.
    pub async fn until(&mut self, wish: &str, is_met: impl Fn(&Value) -> bool) -> Value {
        let started = Instant::now();
        loop {
            let status = self.status().await;
            if is_met(&status) {
                return status;
            }
            assert!(
                started.elapsed() < PATIENCE,
                "waited for \"{wish}\" in vain: {status}"
            );
            crate::pause().await;
        }
    }

    pub async fn settled(&mut self) -> Value {
        self.until("ready and up to date", |status| {
            status["state"] == "ready" && status["trouble"].is_null()
        })
        .await
    }

    /// Returns the status, once every chunk has its vector.
    pub async fn embedded(&mut self) -> Value {
        let is_met = |status: &Value| status["index"]["vectors"] == status["index"]["chunks"];
        self.until("every chunk has a vector", |status| {
            is_met(status) && status["state"] == "ready"
        })
        .await
    }

    /// Returns the files that define a symbol of exactly this name.
    pub async fn places(&mut self, name: &str) -> Vec<String> {
        match self
            .ask("find_symbol", json!({ "name": name, "match": "exact" }))
            .await
        {
            Ok(found) => found["symbols"]
                .as_array()
                .expect("a list")
                .iter()
                .map(path_of)
                .collect(),
            Err(_) => vec![],
        }
    }

    /// Asks for a symbol until it is found nowhere but in these files.
    pub async fn until_found(&mut self, name: &str, files: &[&str]) {
        let started = Instant::now();
        loop {
            let places = self.places(name).await;
            if places == files {
                return;
            }
            assert!(
                started.elapsed() < PATIENCE,
                "{name} is found in {places:?}, and should be in {files:?}"
            );
            crate::pause().await;
        }
    }

    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }
}

fn path_of(symbol: &Value) -> String {
    symbol["path"].as_str().expect("a path").to_owned()
}

/// Returns the reason for which a status says that a file is skipped.
pub fn skipped<'a>(status: &'a Value, path: &str) -> Option<&'a str> {
    let examples = status["index"]["skipped"]["examples"].as_array()?;
    examples.iter().find(|one| one["path"] == path)?["reason"].as_str()
}

/// Returns everything that a home has stored, as text. Its daemon must have ended.
pub async fn dump(home: &Home) -> String {
    let output = home
        .command("claudevild")
        .arg("dump")
        .output()
        .await
        .expect("it runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}
