//! Shows the progress of indexing a project in the client.

use std::sync::Arc;

use claudevil_protocol::ToolError;
use claudevil_protocol::call::{Progress, Project};
use claudevil_protocol::client::CallOptions;
use claudevil_protocol::editor::{EditorAnswer, EditorQuestion, EditorRequest};
use lsp_types::MessageType;
use serde_json::{Value, json};

use super::session::Session;

/// Waits for the index of a project in the background, so that it is warm when the first request comes.
pub fn watch_index(session: Arc<Session>, project: Project) {
    tokio::spawn(async move {
        let mut report = IndexReport::new(&session, &project.root);
        loop {
            match wait(&session, &project, &mut report).await {
                Ok(true) => break,
                Ok(false) => {}
                Err(error) => {
                    session.log(MessageType::WARNING, &error.text());
                    break;
                }
            }
        }
        report.end();
    });
}

/// Returns whether the index is complete.
async fn wait(
    session: &Session,
    project: &Project,
    report: &mut IndexReport<'_>,
) -> Result<bool, ToolError> {
    let request = EditorRequest {
        unit: session.unit(),
        revision: 0,
        question: EditorQuestion::Readiness,
    };
    let options = CallOptions {
        project: Some(project.clone()),
        progress: Some(Box::new(|progress| report.show(&progress))),
    };
    let answer = session.client.ask_editor(options, &request).await?;
    Ok(answer != EditorAnswer::Readiness { is_complete: false })
}

/// A bar in the client, which appears with the first news.
struct IndexReport<'a> {
    session: &'a Session,
    token: String,
    is_shown: bool,
}

impl<'a> IndexReport<'a> {
    fn new(session: &'a Session, root: &str) -> Self {
        Self {
            session,
            token: format!("claudevil/index {root}"),
            is_shown: false,
        }
    }

    fn show(&mut self, progress: &Progress) {
        if !self.session.support.progress {
            return;
        }
        if !self.is_shown {
            self.is_shown = true;
            let params = json!({ "token": self.token });
            self.session
                .request("window/workDoneProgress/create", &params);
            self.post(&json!({ "kind": "begin", "title": "Indexing", "percentage": 0 }));
        }
        let total = progress.total.filter(|total| *total > 0);
        let percentage = total.map(|total| (progress.done * 100 / total).min(100));
        let message = match total {
            Some(total) => format!("{} of {total} {}", progress.done, progress.message),
            None => format!("{} {}", progress.done, progress.message),
        };
        self.post(&json!({ "kind": "report", "message": message, "percentage": percentage }));
    }

    fn end(self) {
        if self.is_shown {
            self.post(&json!({ "kind": "end" }));
        }
    }

    fn post(&self, value: &Value) {
        let params = json!({ "token": self.token, "value": value });
        self.session.notify("$/progress", &params);
    }
}
