//! A root whose folder is missing for a while loses nothing: its index is kept, and the status says so.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use claudevil_tests::asking::{Asker, assert_like_fresh, expected, sources, stop_and_dump};
use claudevil_tests::binaries;
use claudevil_tests::home::{BOUND, Home, signal};
use claudevil_tests::tree::{Kind, Tree};
use libtest_mimic::Trial;
use rustix::process::Signal;
use tokio::process::{Child, Command};

use crate::{Needs, proof};

pub fn trials() -> Vec<Trial> {
    vec![
        proof(
            "07_a_moved_root_waits_and_comes_back",
            Needs::Nothing,
            moved,
        ),
        proof(
            "07_a_deleted_root_waits_and_comes_back",
            Needs::Nothing,
            deleted,
        ),
        proof(
            "07_another_folder_in_its_place_is_noticed",
            Needs::Nothing,
            exchanged,
        ),
        proof(
            "07_an_unreadable_root_waits_and_comes_back",
            Needs::Permissions,
            unreadable,
        ),
        proof(
            "07_an_unreadable_folder_keeps_its_files",
            Needs::Permissions,
            unreadable_folder,
        ),
        proof(
            "07_an_unmounted_root_waits_and_comes_back",
            Needs::Namespaces,
            unmounted,
        ),
    ]
}

const NOTICED: Duration = Duration::from_secs(20);
const BACK: Duration = Duration::from_secs(20);

async fn moved() {
    let home = Home::new();
    let mut tree = tree_of(&home);
    let mut asker = Asker::start(&home, &tree).await;
    let before = asker.ready().await;
    let aside = home.scratch().join("user/aside");
    fs::rename(&tree.root, &aside).expect("moved");
    is_kept(&mut asker, &before).await;
    // Nor is anything lost when the daemon is restarted meanwhile.
    home.kill_daemon().await;
    is_kept(&mut asker, &before).await;
    has_all(&home, &tree).await;
    fs::rename(&aside, &tree.root).expect("moved back");
    comes_back(&mut asker, &mut tree).await;
    assert_like_fresh(&home, &tree).await;
}

async fn deleted() {
    let home = Home::new();
    let mut tree = tree_of(&home);
    let mut asker = Asker::start(&home, &tree).await;
    let before = asker.ready().await;
    let copy = home.scratch().join("copy");
    copy_tree(&tree.root, &copy).await;
    // A removal takes its time, and until the folder itself is gone each file counts as removed. So the daemon is suspended
    // meanwhile.
    let daemon = home.daemon().expect("a daemon");
    signal(daemon, Signal::STOP);
    fs::remove_dir_all(&tree.root).expect("removed");
    signal(daemon, Signal::CONT);
    is_kept(&mut asker, &before).await;
    // An empty folder in its place is not yet the tree.
    fs::create_dir(&tree.root).expect("made");
    is_kept(&mut asker, &before).await;
    has_all(&home, &tree).await;
    copy_tree(&copy, &tree.root).await;
    comes_back(&mut asker, &mut tree).await;
    assert_like_fresh(&home, &tree).await;
}

/// Neither the root nor its own parent is touched, so the system reports nothing.
async fn exchanged() {
    let home = Home::new();
    let place = home.scratch().join("user/above/middle");
    let mut tree = Tree::new(&place.join("engine"), 7, 60);
    let mut asker = Asker::start(&home, &tree).await;
    asker.ready().await;
    let above = home.scratch().join("user/above");
    let other = home.scratch().join("user/other");
    copy_tree(&above, &other).await;
    fs::rename(&above, home.scratch().join("user/aside")).expect("moved");
    fs::rename(&other, &above).expect("moved");
    comes_back(&mut asker, &mut tree).await;
    assert_like_fresh(&home, &tree).await;
}

async fn unreadable() {
    let home = Home::new();
    let mut tree = tree_of(&home);
    let _daemon = obedient_daemon(&home).await;
    let mut asker = Asker::start(&home, &tree).await;
    let before = asker.ready().await;
    fs::set_permissions(&tree.root, Permissions::from_mode(0o000)).expect("closed");
    is_kept(&mut asker, &before).await;
    fs::set_permissions(&tree.root, Permissions::from_mode(0o755)).expect("opened");
    comes_back(&mut asker, &mut tree).await;
    assert_like_fresh(&home, &tree).await;
}

async fn unreadable_folder() {
    let home = Home::new();
    let mut tree = tree_of(&home);
    let daemon = obedient_daemon(&home).await;
    let mut asker = Asker::start(&home, &tree).await;
    asker.ready().await;
    let names = |tree: &Tree, folder: &str| -> Vec<String> {
        tree.visible()
            .filter(|(path, _)| path.starts_with(folder))
            .map(|(_, names)| names[0].clone())
            .collect()
    };
    let hidden = names(&tree, "area3/");
    assert!(hidden.len() > 3);
    fs::set_permissions(tree.root.join("area3"), Permissions::from_mode(0o000)).expect("closed");
    // The change of an ignore file causes a comparison of the whole tree.
    fs::write(tree.root.join("area1/.gitignore"), "nothing-of-this-name\n").expect("written");
    let unchanged = names(&tree, "area2/");
    for name in hidden.iter().chain(&unchanged) {
        let told = asker.symbol(name).await;
        assert_eq!(told.found, expected(&tree, name), "{told:?}");
    }
    // The same holds for a daemon that has never seen the folder open.
    drop(daemon);
    home.kill_daemon().await;
    let _daemon = obedient_daemon(&home).await;
    asker.ready().await;
    for name in &hidden {
        assert_eq!(asker.symbol(name).await.found, expected(&tree, name));
    }
    fs::set_permissions(tree.root.join("area3"), Permissions::from_mode(0o755)).expect("opened");
    comes_back(&mut asker, &mut tree).await;
    let path = tree
        .visible()
        .map(|(path, _)| path)
        .find(|path| path.starts_with("area3/"))
        .expect("a file")
        .to_owned();
    let name = tree.write_again(&path, Kind::Write)[0].clone();
    asker.converges(&tree, &name, BACK).await;
    fs::remove_file(tree.root.join("area1/.gitignore")).expect("removed");
    asker.ready().await;
    assert_like_fresh(&home, &tree).await;
}

async fn unmounted() {
    let home = Home::new();
    let place = home.scratch().join("user/engine");
    fs::create_dir_all(&place).expect("made");
    let copy = home.scratch().join("copy");
    let tree = Tree::new(&copy, 77, 60);
    let wrapper = [
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "--propagation",
        "private",
    ];
    let daemon = serve(
        &home,
        &wrapper,
        "mount -t tmpfs tmpfs \"$0\" && cp -r \"$1/.\" \"$0\"",
        &[&place, &copy],
    )
    .await;
    // The mount is visible only to the daemon's own processes, so everything is done inside its namespace.
    let pid = daemon.id().expect("it runs").to_string();
    let enter = |script: &'static str| {
        let mut command = Command::new("nsenter");
        command.args([
            "--target",
            &pid,
            "--user",
            "--mount",
            "--preserve-credentials",
            "sh",
            "-c",
            script,
        ]);
        command.args([&place, &copy]);
        async move {
            let output = command.output().await.expect("it runs");
            assert!(output.status.success(), "{script}: {output:?}");
        }
    };
    let seen = tree.at(&place);
    let mut asker = Asker::start(&home, &seen).await;
    let before = asker.ready().await;
    assert_eq!(before["index"]["files"].as_u64(), Some(61), "{before}");
    enter("umount \"$0\"").await;
    is_kept(&mut asker, &before).await;
    enter("mount -t tmpfs tmpfs \"$0\" && cp -r \"$1/.\" \"$0\" && printf 'fn mounted_again() {}\\n' > \"$0/area1/again.rs\"").await;
    let started = Instant::now();
    while asker.symbol("mounted_again").await.found
        == claudevil_tests::asking::NameLocation::Nowhere
    {
        assert!(started.elapsed() < BACK, "{:?}", asker.status().await);
    }
    for (_, names) in seen.visible() {
        assert_eq!(
            asker.symbol(&names[0]).await.found,
            expected(&seen, &names[0])
        );
    }
}

fn tree_of(home: &Home) -> Tree {
    Tree::new(&home.scratch().join("user/engine"), 7, 60)
}

/// Checks that the root is called unavailable in time, and that its index is kept.
async fn is_kept(asker: &mut Asker, before: &serde_json::Value) {
    let status = asker.wait_for("unavailable", NOTICED).await;
    assert!(status["unavailable"].is_string(), "{status}");
    for kept in ["files", "symbols", "chunks"] {
        assert_eq!(
            status["index"][kept], before["index"][kept],
            "{kept}: {status}"
        );
    }
}

async fn has_all(home: &Home, tree: &Tree) {
    let stored = stop_and_dump(home).await;
    assert_eq!(
        sources(&stored),
        tree.visible().map(|(path, _)| path).collect::<Vec<_>>()
    );
}

/// Checks that the root comes back without a request to index it, and that edits are seen as before.
async fn comes_back(asker: &mut Asker, tree: &mut Tree) {
    for kind in [
        Kind::Write,
        Kind::Create,
        Kind::Delete,
        Kind::SaveAtomically,
    ] {
        let edit = tree.edit_as(kind).expect("there are files");
        for name in &edit.names {
            asker.converges(tree, name, BACK).await;
        }
    }
    assert_eq!(asker.ready().await["unavailable"], serde_json::Value::Null);
}

/// Copies a tree with its attributes.
async fn copy_tree(from: &Path, to: &Path) {
    let copied = Command::new("cp")
        .arg("-aT")
        .args([from, to])
        .status()
        .await
        .expect("it runs");
    assert!(copied.success());
}

/// Starts a daemon to which closed folders are closed, even if root runs it.
pub async fn obedient_daemon(home: &Home) -> Child {
    let wrapper: &[&str] = if rustix::process::geteuid().is_root() {
        &["setpriv", POWERS, "--"]
    } else {
        &["env"]
    };
    serve(home, wrapper, "true", &[]).await
}

const POWERS: &str = "--bounding-set=-dac_override,-dac_read_search";

pub fn can_obey() -> bool {
    !rustix::process::geteuid().is_root()
        || std::process::Command::new("setpriv")
            .args([POWERS, "true"])
            .status()
            .is_ok_and(|status| status.success())
}

/// Starts a daemon inside a wrapper, after a script.
async fn serve(home: &Home, wrapper: &[&str], script: &str, arguments: &[&Path]) -> Child {
    let plain = home.command("claudevild");
    let variables = plain
        .as_std()
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    let script = format!(
        "{script} && exec '{}' run",
        binaries::path("claudevild").display()
    );
    let daemon = Command::new(wrapper[0])
        .args(&wrapper[1..])
        .args(["sh", "-c", &script])
        .args(arguments)
        .env_clear()
        .envs(variables)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("it runs");
    let started = Instant::now();
    while home.client().daemon_info().await.is_err() {
        assert!(started.elapsed() < BOUND, "the daemon came up");
        tokio::task::yield_now().await;
    }
    daemon
}
