// Line ends of two signs.

const std = @import("std");

/// Leaves
/// at once.
pub fn leave(code: u8) void {
    if (code > 0) std.process.exit(code);
}
