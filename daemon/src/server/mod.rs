//! The daemon's life: lock, listen, serve, drain.
//!
//! The lock is taken before anything is touched and held until the process ends. Everything else a starting daemon
//! needs is checked before it reports that it is ready, so that a client that started it gets one clear answer.

mod admission;
mod connection;
#[cfg(debug_assertions)]
mod fault;
mod listener;
mod progress;
mod report;
mod savings;
mod service;
mod usage;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use claudevil_protocol::daemon_info::{DaemonInfo, Supervision};
use claudevil_protocol::endpoint::{Endpoint, ensure_private_directory};
use claudevil_protocol::lock;
use claudevil_protocol::own_directory::OwnDirectory;
use claudevil_protocol::paths::Paths;
use claudevil_protocol::start::{LockHolder, StartReport};
use claudevil_protocol::version::Identity;
use interprocess::local_socket::tokio::prelude::*;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::change::Changes;
use crate::clock;
use crate::config::{Config, Sources};
use crate::embed;
use crate::index::Indexes;
use crate::logging;
use crate::memory::Memory;
use crate::roots::Roots;
use crate::store::exclusive_files;
use crate::store::roots::RootStore;
use admission::Admission;
use savings::Savings;

/// The most connections that have not exchanged preambles yet. More wait in the system's queue.
const MAX_GREETINGS: usize = 256;
/// The time for clients to read that their calls were cut off.
const CUT_OFF_PATIENCE: Duration = Duration::from_millis(500);
/// The interval at which the daemon checks that its socket and its lock are in place.
const SELF_CHECK: Duration = Duration::from_secs(3);
/// The longest wait of a service for a daemon that a client started before.
const PREDECESSOR_PATIENCE: Duration = Duration::from_secs(40);
/// The longest wait for a previous daemon to close its stores.
const STORE_PATIENCE: Duration = Duration::from_secs(5);
/// The longest wait for a process that holds the lock for a moment only, to see whether a daemon runs.
const PROBE_PATIENCE: Duration = Duration::from_millis(250);

pub struct Server {
    identity: Identity,
    config: Config,
    paths: Paths,
    endpoint: Endpoint,
    supervision: Supervision,
    started: i64,
    roots: Roots,
    indexes: Indexes,
    changes: Changes,
    savings: Savings,
    memory: Memory,
    /// The number of connected clients. A connection is a lease: while there is one, the daemon does not exit for idleness.
    connections: watch::Sender<usize>,
    calls: Admission,
    /// Set once: refuse new calls, finish running ones, exit.
    leaving: watch::Sender<bool>,
    /// Set at the end of the drain: running calls are answered with an error.
    cut_off: watch::Sender<bool>,
}

/// The outcome of a run.
#[derive(Debug)]
pub enum RunOutcome {
    /// With the lock, which the caller holds until the process ends.
    Cleanly(lock::LockGuard),
    AlreadyRunning,
    Failed,
}

/// Runs the daemon until it is told to exit or has been idle for long.
pub async fn run(paths: Paths, supervision: Supervision) -> RunOutcome {
    set_umask();
    if supervision == Supervision::Detached {
        leave_session();
    }
    let mut lock = match take_lock(&paths, supervision).await {
        Ok(Some(lock)) => lock,
        Ok(None) => {
            let pid = lock::holder::<LockHolder>(&paths.daemon_lock()).map(|holder| holder.pid);
            report::send(supervision, &StartReport::AlreadyRunning { pid });
            return RunOutcome::AlreadyRunning;
        }
        Err(message) => return fail(supervision, message),
    };
    let identity = Identity::own();
    let holder = LockHolder::own(identity.build.clone());
    if let Err(error) = lock.describe(&holder) {
        return fail(
            supervision,
            format!("{}: {error}", paths.daemon_lock().display()),
        );
    }
    let config = match Config::load(&paths.config_file(), paths.data(), &Sources::environment()) {
        Ok(config) => config,
        Err(error) => return fail(supervision, error.to_string()),
    };
    let _logs = match logging::start(&paths.logs(), &config) {
        Ok(guard) => guard,
        Err(error) => return fail(supervision, format!("{}: {error}", paths.logs().display())),
    };
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    // A predecessor that was killed, or ends during a batch, frees its lock a moment before its stores.
    for store in exclusive_files(paths.data())
        .iter()
        .filter(|store| store.exists())
    {
        if !matches!(lock::lock(store, STORE_PATIENCE).await, Ok(Some(_))) {
            tracing::warn!(store = %store.display(), "another process still has the store open");
        }
    }
    match Server::open(paths, config, identity, supervision) {
        Ok(server) => serve(Arc::new(server), lock, holder).await,
        Err(message) => fail(supervision, message),
    }
}

impl Server {
    fn open(
        paths: Paths,
        config: Config,
        identity: Identity,
        supervision: Supervision,
    ) -> Result<Self, String> {
        let registry = RootStore::open(paths.data())
            .map_err(|error| format!("{}: {error}", paths.data().display()))?;
        let built_in = embed::built_in(&config.embedder).map_err(|error| error.to_string())?;
        let chosen = embed::chosen(&config.embedder);
        // Before anything is indexed, changes that a crash cut off are finished or undone.
        let changes = Changes::new(paths.data());
        let known: Vec<PathBuf> = registry
            .all()
            .into_iter()
            .map(|root| PathBuf::from(root.path))
            .collect();
        for recovery in changes.recover(&known) {
            tracing::warn!(?recovery, "a change of files that was cut off");
        }
        let indexes = Indexes::open(
            paths.data(),
            config.index.clone(),
            config.embedder.program.clone(),
            built_in,
            chosen,
        )?;
        Ok(Self {
            identity,
            calls: Admission::new(config.max_calls),
            config,
            endpoint: Endpoint::new(&paths),
            supervision,
            started: clock::now(),
            savings: Savings::new(registry.savings())?,
            roots: Roots::new(registry, &paths),
            indexes,
            changes,
            memory: Memory::default(),
            paths,
            connections: watch::Sender::new(0),
            leaving: watch::Sender::new(false),
            cut_off: watch::Sender::new(false),
        })
    }

    /// Starts the drain. Only the first reason is logged.
    fn leave(&self, why: &str) {
        let first = self
            .leaving
            .send_if_modified(|leaving| !std::mem::replace(leaving, true));
        if first {
            tracing::info!(why, "leaving");
        }
    }

    fn is_leaving(&self) -> bool {
        *self.leaving.borrow()
    }

    fn info(&self) -> DaemonInfo {
        DaemonInfo {
            pid: std::process::id(),
            build: self.identity.build.clone(),
            oldest_protocol: *self.identity.protocol.start(),
            newest_protocol: *self.identity.protocol.end(),
            started: self.started,
            address: self.endpoint.address().display().to_string(),
            log_directory: self.paths.logs().display().to_string(),
            connections: u32::try_from(*self.connections.borrow()).unwrap_or(u32::MAX),
            calls_in_flight: u32::try_from(self.calls.running()).unwrap_or(u32::MAX),
            supervision: self.supervision,
        }
    }

    /// Returns when no client has been connected for long and nothing is being indexed.
    async fn idle(&self) {
        let Some(patience) = self
            .config
            .idle_exit
            .filter(|_| self.supervision == Supervision::Detached)
        else {
            return std::future::pending().await;
        };
        let mut connections = self.connections.subscribe();
        loop {
            // The sender lives in `self`, so neither wait can fail.
            let _ = connections.wait_for(|count| *count == 0).await;
            if tokio::time::timeout(patience, connections.wait_for(|count| *count > 0))
                .await
                .is_err()
                && !self.indexes.is_busy()
            {
                return;
            }
        }
    }
}

async fn serve(server: Arc<Server>, mut lock: lock::LockGuard, holder: LockHolder) -> RunOutcome {
    let supervision = server.supervision;
    let socket = match listener::listen(&server.endpoint) {
        Ok(socket) => socket,
        Err(error) => {
            return fail(
                supervision,
                format!("{}: {error}", server.endpoint.address().display()),
            );
        }
    };
    let mut signals = match report::ExitSignals::new() {
        Ok(signals) => signals,
        Err(error) => return fail(supervision, format!("signals cannot be received: {error}")),
    };
    tracing::info!(
        pid = std::process::id(),
        build = server.identity.build,
        socket = %server.endpoint.address().display(),
        ?supervision,
        "ready"
    );
    report::send(
        supervision,
        &StartReport::Ready {
            pid: std::process::id(),
        },
    );

    let own = Arc::clone(&server);
    // On a thread, because the file system of a folder may never answer.
    std::thread::spawn(move || own.indexes.forget_missing(&own.roots.store().all()));
    let greetings = Arc::new(Semaphore::new(MAX_GREETINGS));
    let mut connections = JoinSet::new();
    let mut leaving = server.leaving.subscribe();
    let mut self_check = tokio::time::interval(SELF_CHECK);
    self_check.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let idle = server.idle();
    tokio::pin!(idle);
    let mut unloading: Option<tokio::task::JoinHandle<()>> = None;
    loop {
        let accept = async {
            let greeting = Arc::clone(&greetings)
                .acquire_owned()
                .await
                .map_err(io::Error::other)?;
            Ok::<_, io::Error>((socket.listener.accept().await?, greeting))
        };
        tokio::select! {
            biased;
            _ = leaving.wait_for(|leaving| *leaving) => break,
            signal = signals.next() => server.leave(signal),
            () = &mut idle => server.leave("idle"),
            _ = self_check.tick() => {
                // On another thread, because it waits for locks and for processes.
                if unloading.as_ref().is_none_or(tokio::task::JoinHandle::is_finished) {
                    let own = Arc::clone(&server);
                    unloading = Some(tokio::task::spawn_blocking(move || {
                        own.indexes.unload_idle();
                        own.indexes.release_at_rest(crate::query::release_memory);
                        own.changes.drop_old_records();
                    }));
                }
                if server.savings.is_due() {
                    let keeping = Arc::clone(&server);
                    tokio::task::spawn_blocking(move || keeping.savings.store(keeping.roots.store()));
                }
                if !socket.is_in_place(&server.endpoint) || !lock.is_at(&server.paths.daemon_lock()) {
                    server.leave("its socket or its lock has been removed");
                }
            }
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            accepted = accept => match accepted {
                Ok((stream, greeting)) => {
                    connections.spawn(connection::serve(Arc::clone(&server), stream, greeting));
                }
                Err(error) => {
                    // Most likely the process is out of descriptors, which are freed when connections end.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
        }
    }
    // Clients that find no socket wait longer if the lock file says that the daemon is leaving.
    if let Err(error) = lock.describe(&LockHolder {
        leaving: true,
        ..holder
    }) {
        tracing::warn!(%error, "the lock file cannot be written");
    }
    socket.withdraw(&server.endpoint);
    report::stopping();
    let mut drain = async |patience| {
        tokio::time::timeout(patience, async {
            while connections.join_next().await.is_some() {}
        })
        .await
        .is_ok()
    };
    if !drain(server.config.drain).await {
        tracing::warn!("calls did not finish in time and are cut off");
        server.cut_off.send_replace(true);
        drain(CUT_OFF_PATIENCE).await;
    }
    // Indexers may be in the middle of a batch.
    let closing = Arc::clone(&server);
    let _ = tokio::task::spawn_blocking(move || {
        closing.savings.store(closing.roots.store());
        closing.indexes.close();
    })
    .await;
    tracing::info!("gone");
    RunOutcome::Cleanly(lock)
}

async fn take_lock(
    paths: &Paths,
    supervision: Supervision,
) -> Result<Option<lock::LockGuard>, String> {
    for directory in [OwnDirectory::Run, OwnDirectory::Data, OwnDirectory::State] {
        directory.claim(paths).map_err(|error| error.to_string())?;
    }
    ensure_private_directory(&paths.logs()).map_err(|error| error.to_string())?;
    let path = paths.daemon_lock();
    let patience = if supervision == Supervision::Service {
        PREDECESSOR_PATIENCE
    } else {
        PROBE_PATIENCE
    };
    lock::lock(&path, patience)
        .await
        .map_err(|error| error.to_string())
}

fn fail(supervision: Supervision, message: String) -> RunOutcome {
    tracing::error!(message, "the start failed");
    report::send(supervision, &StartReport::Failed { message });
    RunOutcome::Failed
}

#[cfg(unix)]
fn set_umask() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
}

#[cfg(not(unix))]
fn set_umask() {}

/// Starts a session of its own: editors kill the process groups of their servers, and the daemon must not be in one.
#[cfg(unix)]
fn leave_session() {
    // Fails only for a process that leads a group already, which then has a group of its own.
    let _ = rustix::process::setsid();
}

#[cfg(not(unix))]
fn leave_session() {}
