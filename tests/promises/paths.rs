//! No path leads out of a root, not even while the tree is changed under the call.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use claudevil_tests::home::Home;
use claudevil_tests::mcp::Session;
use libtest_mimic::Trial;
use serde_json::json;

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof("20_no_path_leads_out", Needs::Nothing, no_path_leads_out),
        proof(
            "20_a_root_that_became_something_else_is_refused",
            Needs::Nothing,
            root_that_became_something_else,
        ),
        proof(
            "20_a_root_swapped_during_the_call_does_not_lead_out",
            Needs::Nothing,
            || swapped_root(100),
        ),
        proof(
            "20_a_swapped_directory_does_not_lead_out",
            Needs::Nothing,
            || swapped_directory(100),
        ),
        proof(
            "20_a_root_swapped_during_many_calls_does_not_lead_out",
            Needs::Patience,
            || swapped_root(1000),
        ),
        proof(
            "20_a_directory_swapped_during_many_calls_does_not_lead_out",
            Needs::Patience,
            || swapped_directory(1000),
        ),
    ]
}

async fn no_path_leads_out() {
    let home = Home::new();
    let project = home.project("engine");
    fs::write(home.scratch().join("user/outside.txt"), "outside\n").expect("written");
    symlink("../../outside.txt", project.join("src/link")).expect("linked");
    symlink("/etc/passwd", project.join("absolute")).expect("linked");
    symlink("..", project.join("up")).expect("linked");
    symlink("main.rs", project.join("src/inside")).expect("linked");
    let mut session = Session::start(&home, &project, &[]).await;
    let outside = home
        .scratch()
        .join("user/outside.txt")
        .display()
        .to_string();
    for path in [
        "../outside.txt",
        "/etc/passwd",
        &outside,
        "src/link",
        "absolute",
        "up/outside.txt",
        "src/../../outside.txt",
    ] {
        let (text, is_error) = session.call("read_file", json!({ "path": path })).await;
        assert!(
            is_error && text.starts_with("path_outside_root: "),
            "{path}: {text}"
        );
        assert!(text.contains("\nnext: "), "{path}: {text}");
    }
    let absolute = project.join("src/main.rs").display().to_string();
    for path in [
        "src/main.rs",
        "./src/../src/main.rs",
        "src/inside",
        &absolute,
    ] {
        let (text, is_error) = session.call("read_file", json!({ "path": path })).await;
        assert!(!is_error && text.contains("fn main()"), "{path}: {text}");
    }
}

/// A name leads to the folder that was added under it, or nowhere.
async fn root_that_became_something_else() {
    let home = Home::new();
    let project = home.project("engine");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("list_files", json!({})).await;
    fs::rename(&project, home.scratch().join("user/moved")).expect("moved");
    symlink("/", &project).expect("linked");
    for root in [json!("engine"), json!(project)] {
        let (text, is_error) = session
            .call("read_file", json!({ "root": root, "path": "etc/passwd" }))
            .await;
        assert!(
            is_error && text.starts_with("root_refused: "),
            "{root}: {text}"
        );
    }
}

async fn swapped_root(calls: u32) {
    let home = Home::new();
    let project = home.project("engine");
    let outside = home.scratch().join("user/elsewhere");
    fs::create_dir_all(outside.join("src")).expect("made");
    fs::write(outside.join("src/main.rs"), "outside\n").expect("written");
    let decoy = home.scratch().join("user/decoy");
    symlink(&outside, &decoy).expect("linked");
    let mut session = Session::start(&home, &project, &[]).await;
    session.call("list_files", json!({})).await;
    let swapper = Swapper::start(project.clone(), decoy);
    let mut read = 0;
    for _ in 0..calls {
        let (text, is_error) = session
            .call(
                "read_file",
                json!({ "root": "engine", "path": "src/main.rs" }),
            )
            .await;
        assert!(!text.contains("outside\n"), "{text}");
        read += usize::from(!is_error);
    }
    assert!(
        swapper.stop() > 100 && read > 0,
        "{read} read: nothing was tested"
    );
}

/// Exchanges two paths as fast as possible.
struct Swapper {
    swapping: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<u32>,
}

impl Swapper {
    fn start(one: std::path::PathBuf, other: std::path::PathBuf) -> Self {
        let swapping = Arc::new(AtomicBool::new(true));
        let goes_on = Arc::clone(&swapping);
        let thread = std::thread::spawn(move || {
            let mut swaps = 0;
            while goes_on.load(Ordering::Relaxed) {
                let exchange = rustix::fs::RenameFlags::EXCHANGE;
                rustix::fs::renameat_with(rustix::fs::CWD, &one, rustix::fs::CWD, &other, exchange)
                    .expect("swapped");
                swaps += 1;
            }
            swaps
        });
        Self { swapping, thread }
    }

    /// Stops the exchanges. Returns their number.
    fn stop(self) -> u32 {
        self.swapping.store(false, Ordering::Relaxed);
        self.thread.join().expect("it ran")
    }
}

async fn swapped_directory(calls: u32) {
    let home = Home::new();
    let project = home.project("engine");
    let outside = home.scratch().join("user/elsewhere");
    fs::create_dir_all(&outside).expect("made");
    fs::write(outside.join("main.rs"), "outside\n").expect("written");
    fs::write(outside.join("elsewhere.rs"), "outside\n").expect("written");
    symlink(&outside, project.join("decoy")).expect("linked");
    let swapper = Swapper::start(project.join("src"), project.join("decoy"));
    let mut session = Session::start(&home, &project, &[]).await;
    let (mut read, mut refused) = (0, 0);
    for round in 0..calls {
        // A list of a tree that never rests waits for it up to its limit.
        if round % 25 == 0 {
            let (text, _) = session.call("list_files", json!({})).await;
            assert!(
                !text.contains("elsewhere.rs"),
                "a file outside the root was listed: {text}"
            );
        }
        let (text, is_error) = session
            .call("read_file", json!({ "path": "src/main.rs" }))
            .await;
        assert!(!text.contains("outside\n"), "{text}");
        if is_error {
            assert!(
                text.starts_with("path_outside_root: ") || text.starts_with("file_not_found: "),
                "{text}"
            );
            refused += 1;
        } else {
            assert!(text.contains("fn main()"), "{text}");
            read += 1;
        }
    }
    let swaps = swapper.stop();
    assert!(
        swaps > 100 && read > 0 && refused > 0,
        "{swaps} swaps, {read} read, {refused} refused: nothing was tested"
    );
}
