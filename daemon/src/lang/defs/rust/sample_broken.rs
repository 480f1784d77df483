/// Whole.
pub fn before(n: u32) -> u32 {
    n + 1
}

pub fn broken(a: u32) {
    let x = = 3;
    before(a)
}

/// Whole, too.
struct After {
    count: u32,
}

impl After {
    fn add(&mut self, n: u32) {
        self.count += n;
    }
}
