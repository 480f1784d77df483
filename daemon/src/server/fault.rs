//! Faults on demand, for tests of misbehaving queries. Not part of a release build.

use std::time::{Duration, Instant};

use crate::query::Context;

/// `CLAUDEVIL_TEST_FAULT=tool:panic`, `tool:hang` (until cancelled) or `tool:slow` (300 ms).
pub fn inject(context: &Context, name: &str) {
    let Some(fault) = claudevil_protocol::environment::variable("CLAUDEVIL_TEST_FAULT") else {
        return;
    };
    let fault = fault.to_string_lossy();
    let Some(kind) = fault
        .split_once(':')
        .filter(|(tool, _)| *tool == name)
        .map(|(_, kind)| kind)
    else {
        return;
    };
    let started = Instant::now();
    let busy_until = |done: &dyn Fn() -> bool| {
        while !done() {
            std::thread::park_timeout(Duration::from_millis(1));
        }
    };
    match kind {
        "panic" => panic!("a fault was asked for"),
        "hang" => busy_until(&|| context.cancel.is_cancelled()),
        "slow" => busy_until(&|| started.elapsed() > Duration::from_millis(300)),
        _ => {}
    }
}
