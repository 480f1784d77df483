//! The promises of claudevil, proven over the real binaries: real sockets, real kills, real files.
//!
//! A proof that cannot run on this machine is listed as ignored, with its reason in its name. Those marked slow run
//! with `--ignored slow`; `tests/run --slow` does it.

mod access;
mod bad_input;
mod churn;
mod cold;
mod confinement;
mod damage;
mod dead_code;
mod deceptive_names;
mod doctor;
mod documented;
mod edits;
mod embedder_destination;
mod frames;
mod freshness;
mod graph;
mod growth;
mod history;
mod hostile;
mod ignore_files;
mod isolation;
mod json_rpc;
mod kills;
mod lifecycle;
mod lsp;
mod many_roots;
mod memory;
mod models;
mod only_root;
mod overload;
mod own_directories;
mod paths;
mod piped;
mod planted;
mod reindexing;
mod roots_away;
mod same_index;
mod savings;
mod search;
mod secrets;
mod service_manager;
mod session;
mod setup;
mod shortage;
mod soak;
mod start;
mod stopping;
mod strategies;
mod structure;
mod stuck_vectors;
mod symbols;
mod terminal;
mod versions;
mod watching;
mod whole_lists;
mod without_vectors;

use std::future::Future;
use std::io::Write;
use std::time::Duration;

use claudevil_tests::binaries;
use libtest_mimic::{Arguments, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let trials = [
        lifecycle::trials(),
        stopping::trials(),
        overload::trials(),
        stuck_vectors::trials(),
        json_rpc::trials(),
        dead_code::trials(),
        deceptive_names::trials(),
        start::trials(),
        versions::trials(),
        frames::trials(),
        paths::trials(),
        access::trials(),
        session::trials(),
        bad_input::trials(),
        history::trials(),
        hostile::trials(),
        ignore_files::trials(),
        confinement::trials(),
        same_index::trials(),
        damage::trials(),
        shortage::trials(),
        secrets::trials(),
        planted::trials(),
        isolation::trials(),
        many_roots::trials(),
        models::trials(),
        kills::trials(),
        edits::trials(),
        structure::trials(),
        roots_away::trials(),
        reindexing::trials(),
        freshness::trials(),
        graph::trials(),
        watching::trials(),
        churn::trials(),
        cold::trials(),
        growth::trials(),
        soak::trials(),
        search::trials(),
        symbols::trials(),
        strategies::trials(),
        savings::trials(),
        terminal::trials(),
        piped::trials(),
        doctor::trials(),
        setup::trials(),
        documented::trials(),
        memory::trials(),
        only_root::trials(),
        own_directories::trials(),
        embedder_destination::trials(),
        service_manager::trials(),
        lsp::trials(),
        whole_lists::trials(),
        without_vectors::trials(),
    ];
    libtest_mimic::run(&arguments, trials.into_iter().flatten().collect()).exit();
}

/// The condition under which a proof can run here.
#[derive(Clone, Copy)]
enum Needs {
    Nothing,
    /// Takes minutes.
    Patience,
    /// Debug builds: only these can be told to fail or to pretend another version.
    DebugBuilds,
    /// The right to become another user.
    Root,
    /// Mounts in a namespace of its own.
    Namespaces,
    /// The tracing of every process's system calls.
    Strace,
    /// Permissions that are enforced: not root, or a root that can drop its capabilities.
    Permissions,
    /// A program on `PATH`, and the reason to give if it is missing.
    Program(&'static str, &'static str),
}

impl Needs {
    /// Returns why the proof cannot run here.
    fn missing(self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Patience => Some("slow"),
            Self::DebugBuilds => (!binaries::are_debug_builds()).then_some("needs debug builds"),
            Self::Root => (!rustix::process::geteuid().is_root()).then_some("needs root"),
            Self::Namespaces => (!can_mount()).then_some("needs mount namespaces"),
            Self::Strace => (!can_trace()).then_some("needs strace"),
            Self::Program(name, missing) => (!graph::is_here(name)).then_some(missing),
            Self::Permissions => {
                (!roots_away::can_obey()).then_some("needs setpriv where root runs it")
            }
        }
    }
}

/// Makes a proof of an async function that panics if the promise is broken.
fn proof<F>(name: &str, needs: Needs, proof: impl FnOnce() -> F + Send + 'static) -> Trial
where
    F: Future<Output = ()>,
{
    let missing = needs.missing();
    let name = missing.map_or_else(|| name.to_owned(), |why| format!("{name} [{why}]"));
    let run = move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        runtime.block_on(proof());
        runtime.shutdown_background();
        Ok(())
    };
    Trial::test(name, run).with_ignored_flag(missing.is_some())
}

fn can_mount() -> bool {
    std::process::Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "true"])
        .output()
        .is_ok_and(|output| output.status.success())
}

fn can_trace() -> bool {
    let traced = std::process::Command::new("strace")
        .args(["-f", "-o", "/dev/null", "true"])
        .output();
    traced.is_ok_and(|output| output.status.success())
}

/// Prints a measurement, beside the names of the proofs.
fn measured(words: &str) {
    let _ = writeln!(std::io::stderr(), "    measured: {words}");
}

/// Returns a time limit for this build: a debug build gets more than a release build.
fn slack(bound: Duration) -> Duration {
    if claudevil_tests::binaries::are_debug_builds() {
        bound * 3
    } else {
        bound
    }
}

/// Returns the shortest duration that this percentage of all does not exceed.
fn percentile(took: &[Duration], percent: usize) -> Duration {
    let mut sorted = took.to_vec();
    sorted.sort_unstable();
    sorted
        .get((sorted.len() * percent).div_ceil(100).saturating_sub(1))
        .copied()
        .unwrap_or_default()
}
