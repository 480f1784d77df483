//! What Zig has.

const std = @import("std");
const Allocator = std.mem.Allocator;
const Other = @import("other.zig").Other;
pub usingnamespace @import("more.zig");

/// How many there may be.
pub const limit: usize = 10;
var counter: u32 = 0;
pub var @"odd name": u8 = 1;

/// Why it fails.
pub const Error = error{ Bad, Worse };

const Mode = enum(u8) {
    fast,
    /// Takes long.
    slow = 2,

    fn isFast(self: Mode) bool {
        return self == .fast;
    }
};

const Value = union(enum) { whole: u32, part: f32 };

/// Keeps values.
pub const Store = struct {
    const Self = @This();

    /// Its size.
    size: usize = 0,
    allocator: Allocator,
    next: ?*Store,

    /// Makes one.
    pub fn init(allocator: Allocator) !Self {
        return Self{ .allocator = allocator, .next = null };
    }

    fn grow(self: *Self, by: usize) void {
        self.size += by;
        counter = 1;
    }
};

/// A type made by a function.
pub fn List(comptime T: type) type {
    return struct {
        items: []T,

        pub fn first(self: @This()) ?T {
            return if (self.items.len > 0) self.items[0] else null;
        }
    };
}

extern fn outside(code: c_int) void;
export fn forC() void {}

inline fn run(args: []const u8, other: Other) Error!u32 {
    if (args.len > 1 and args.len < limit) return 1 else {}
    for (args, 0..) |arg, index| {
        _ = arg;
        outside(@intCast(index));
    }
    while (other.next()) |found| {
        const doubled = found * 2;
        try other.use(doubled);
    }
    var store = Store{ .allocator = other.allocator, .next = null };
    defer store.deinit();
    const result = compute(1) catch |err| switch (err) {
        error.Bad => 1,
        error.Worse => 2,
        else => 3,
    };
    return result orelse std.math.maxInt(u32);
}

test "it runs" {
    try std.testing.expect(try run("a", .{}) == 1);
}
