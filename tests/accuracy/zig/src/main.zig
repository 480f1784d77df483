const std = @import("std");
const parser = @import("parser.zig");
const Reader = @import("parser.zig").Parser; // ⟦ ref Parser import ⟧
const token = @import("token.zig");

fn Stack(comptime T: type) type { // ⟦ def Stack ⟧
    return struct {
        items: [8]T = undefined, // ⟦ def Stack.items ⟧
        size: usize = 0, // ⟦ def Stack.size ⟧

        fn push(self: *@This(), item: T) void { // ⟦ def Stack.push ⟧
            self.items[self.size] = item; // ⟦ ref Stack.items write ; ref Stack.size read ⟧
            self.size += 1; // ⟦ ref Stack.size write ⟧
        }
    };
}

pub fn evaluate(source: []const u8) parser.ParseError!i64 { // ⟦ def evaluate ; ref ParseError type ⟧
    var reader = try Reader.init(source); // ⟦ ref Parser ; call Parser.init from evaluate ⟧
    return reader.sum(); // ⟦ call Parser.sum from evaluate ⟧
}

fn double(value: i64) i64 { // ⟦ def double ⟧
    return value * 2;
}

fn apply(change: *const fn (i64) i64, value: i64) i64 { // ⟦ def apply ⟧
    return change(value);
}

fn show(thing: anytype) void { // ⟦ def show ⟧
    std.debug.print("{s}\n", .{thing.describe()}); // ⟦ may Token.describe ⟧
}

pub fn main() !void { // ⟦ def main ⟧
    var results = Stack(i64){}; // ⟦ call Stack from main ⟧
    results.push(apply(double, try evaluate("1 + 2 * 3"))); // ⟦ call Stack.push from main ; call apply from main ; ref double read ; call evaluate from main ⟧
    results.push(evaluate("2 *") catch 0); // ⟦ call Stack.push from main ; call evaluate from main ⟧
    std.debug.print("size {d}, first {d}\n", .{ results.size, results.items[0] }); // ⟦ ref Stack.size read ; ref Stack.items read ⟧
    var lexer = token.Lexer.init("(4)"); // ⟦ ref Lexer ; call Lexer.init from main ⟧
    show(lexer.next()); // ⟦ call show from main ; call Lexer.next from main ⟧
}

test "precedence" { // ⟦ def tests.precedence ⟧
    try std.testing.expectEqual(@as(i64, 7), try evaluate("1+2*3")); // ⟦ call evaluate from tests.precedence ⟧
    try std.testing.expectEqual(@as(i64, 9), try evaluate("(1 + 2) * 3")); // ⟦ call evaluate from tests.precedence ⟧
    try std.testing.expect(token.Kind.plus.isOperator()); // ⟦ ref Kind ; ref Kind.plus ; call Kind.isOperator from tests.precedence ⟧
}

test "errors" { // ⟦ def tests.errors ⟧
    try std.testing.expectError(parser.ParseError.Unexpected, evaluate("+")); // ⟦ ref ParseError ; ref ParseError.Unexpected read ; call evaluate from tests.errors ⟧
    const long: [token.limit + 1]u8 = @splat('1'); // ⟦ ref limit read ⟧
    try std.testing.expectError(parser.ParseError.TooLong, Reader.init(&long)); // ⟦ ref ParseError ; ref ParseError.TooLong read ; ref Parser ; call Parser.init from tests.errors ⟧
}
