//! Reads keys while a view is shown: the terminal passes each on at once and echoes none. In the end its settings are restored.

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
    /// Begins to wait for a key. Returns `None` if input is not a terminal.
    pub fn watch(key: u8) -> Option<Self> {
        let before = tcgetattr(io::stdin()).ok()?;
        // A process in the background would be stopped for changing the terminal, and gets no keys.
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
        // The read blocks until a person types, so the thread ends with the program or with the key: keys after that one are
        // for other programs.
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

    /// Returns once the key has been pressed.
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
