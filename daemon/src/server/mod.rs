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

/// Connections that have not said hello yet. More wait in the system's queue.
const MOST_GREETINGS: usize = 256;
/// How long clients may take to hear that their calls were cut off.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How often the daemon makes sure that its socket and its lock are still where clients look for them.
const SELF_CHECK: Duration = Duration::from_secs(3);
/// How long a service waits for a daemon that a client had started before.
const PREDECESSOR_PATIENCE: Duration = Duration::from_secs(40);
/// How long a process that is no longer the daemon may take to end.
const STORE_PATIENCE: Duration = Duration::from_secs(5);
/// Whoever looks whether a daemon runs holds the lock for an instant.
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
    /// How many clients are connected. A connection is a lease: while there is one, the daemon stays.
    connections: watch::Sender<usize>,
    calls: Admission,
    /// Set once: no new calls, finish those under way, exit.
    leaving: watch::Sender<bool>,
    /// Set at the end of the drain: calls that are still under way are answered as they are.
    cut_off: watch::Sender<bool>,
}

/// How a run came to its end.
#[derive(Debug)]
pub enum Ended {
    /// The lock comes with it: whoever ends the process holds it until the last thread is gone.
    Cleanly(lock::LockGuard),
    AlreadyRunning,
    Failed,
}

/// Runs the daemon until it is told to leave or has nothing left to stay for.
pub async fn run(paths: Paths, supervision: Supervision) -> Ended {
    set_umask();
    if supervision == Supervision::Detached {
        leave_session();
    }
    let mut lock = match take_lock(&paths, supervision).await {
        Ok(Some(lock)) => lock,
        Ok(None) => {
            let pid = lock::holder::<LockHolder>(&paths.daemon_lock()).map(|holder| holder.pid);
            report::send(supervision, &StartReport::AlreadyRunning { pid });
            return Ended::AlreadyRunning;
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
    // A predecessor that was killed, or that ends in the midst of a batch, frees its lock a moment before its stores.
    for store in exclusive_files(paths.data())
        .iter()
        .filter(|store| store.exists())
    {
        if !matches!(lock::lock(store, STORE_PATIENCE).await, Ok(Some(_))) {
            tracing::warn!(store = %store.display(), "somebody still has it open");
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
        let embedder = embed::first(&config.embedder).map_err(|error| error.to_string())?;
        let better = embed::better(&config.embedder);
        // Before anything is indexed: what a crash cut off is finished or taken back.
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
            embedder,
            better,
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

    /// Begins to drain. Only the first reason counts.
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

    /// Comes back when nobody has been connected for long enough and nothing is being indexed.
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

async fn serve(server: Arc<Server>, mut lock: lock::LockGuard, holder: LockHolder) -> Ended {
    let supervision = server.supervision;
    let listening = match listener::listen(&server.endpoint) {
        Ok(listening) => listening,
        Err(error) => {
            return fail(
                supervision,
                format!("{}: {error}", server.endpoint.address().display()),
            );
        }
    };
    let mut ends = match report::Ends::new() {
        Ok(ends) => ends,
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

    let gone = Arc::clone(&server);
    // A folder may be on a file system that never answers: this must hold up nobody.
    std::thread::spawn(move || gone.indexes.forget_long_gone(&gone.roots.store().all()));
    let greetings = Arc::new(Semaphore::new(MOST_GREETINGS));
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
            Ok::<_, io::Error>((listening.listener.accept().await?, greeting))
        };
        tokio::select! {
            biased;
            _ = leaving.wait_for(|leaving| *leaving) => break,
            signal = ends.next() => server.leave(signal),
            () = &mut idle => server.leave("idle"),
            _ = self_check.tick() => {
                // It waits for locks and for processes that end: nobody else does.
                if unloading.as_ref().is_none_or(tokio::task::JoinHandle::is_finished) {
                    let own = Arc::clone(&server);
                    unloading = Some(tokio::task::spawn_blocking(move || own.indexes.unload_idle()));
                }
                if server.savings.is_due() {
                    let keeping = Arc::clone(&server);
                    tokio::task::spawn_blocking(move || keeping.savings.keep(keeping.roots.store()));
                }
                if !listening.is_in_place(&server.endpoint) || !lock.is_at(&server.paths.daemon_lock()) {
                    server.leave("its socket or its lock has been removed");
                }
            }
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            accepted = accept => match accepted {
                Ok((stream, greeting)) => {
                    connections.spawn(connection::serve(Arc::clone(&server), stream, greeting));
                }
                Err(error) => {
                    // Out of descriptors, most likely: they come back when connections end.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
        }
    }
    // Clients that find the socket gone wait longer for one that says so.
    if let Err(error) = lock.describe(&LockHolder {
        leaving: true,
        ..holder
    }) {
        tracing::warn!(%error, "the lock file cannot be written");
    }
    listening.withdraw(&server.endpoint);
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
        drain(LAST_WORDS).await;
    }
    // Its indexers may be in the middle of a batch.
    let closing = Arc::clone(&server);
    let _ = tokio::task::spawn_blocking(move || {
        closing.savings.keep(closing.roots.store());
        closing.indexes.close();
    })
    .await;
    tracing::info!("gone");
    Ended::Cleanly(lock)
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

fn fail(supervision: Supervision, message: String) -> Ended {
    tracing::error!(message, "the start failed");
    report::send(supervision, &StartReport::Failed { message });
    Ended::Failed
}

#[cfg(unix)]
fn set_umask() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
}

#[cfg(not(unix))]
fn set_umask() {}

/// Editors kill the process group of their servers; a session of its own keeps the daemon out of it.
#[cfg(unix)]
fn leave_session() {
    // Fails only for a process that leads a group already, which then has a group of its own.
    let _ = rustix::process::setsid();
}

#[cfg(not(unix))]
fn leave_session() {}
