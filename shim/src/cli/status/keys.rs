//! Keys that are pressed while something is watched: the terminal hands each over at once and shows none. In the end it is
//! as it was.

use std::io::{self, Read};
use std::sync::Arc;

use rustix::process::getpgrp;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};
use tokio::sync::Notify;

pub struct Keys {
    before: Termios,
    pressed: Arc<Notify>,
}

impl Keys {
    /// Waits for a key from here on. Returns `None` where nobody can press any.
    pub fn watch(key: u8) -> Option<Self> {
        let before = tcgetattr(io::stdin()).ok()?;
        // Who is in the background would be stopped for it, and gets no keys.
        if tcgetpgrp(io::stdin()).ok()? != getpgrp() {
            return None;
        }
        let mut now = before.clone();
        now.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        tcsetattr(io::stdin(), OptionalActions::Now, &now).ok()?;
        let keys = Self {
            before,
            pressed: Arc::default(),
        };
        let pressed = Arc::clone(&keys.pressed);
        // To read is to wait for a person, so the thread ends with the program, or with the key: what is typed behind that
        // is for others.
        let reading = move || {
            let mut bytes = [0; 64];
            while let Ok(length @ 1..) = io::stdin().read(&mut bytes) {
                if bytes[..length].contains(&key) {
                    return pressed.notify_one();
                }
            }
        };
        std::thread::Builder::new()
            .name("claudevil-keys".to_owned())
            .spawn(reading)
            .ok()?;
        Some(keys)
    }

    /// Comes back once the key has been pressed.
    pub async fn pressed(&self) {
        self.pressed.notified().await;
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing any more.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}
