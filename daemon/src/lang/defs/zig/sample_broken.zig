/// Whole.
pub fn before(n: u32) u32 {
    return n + 1;
}

fn broken(a: u32) u32 {
    const x = = 3 );
    return before(a);
}

/// Whole, too.
const After = struct {
    count: u32,

    fn add(self: *After, n: u32) void {
        self.count += n;
    }
};
