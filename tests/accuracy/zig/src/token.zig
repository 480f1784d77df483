const std = @import("std");

/// The longest source that is read.
pub const limit: usize = 64; // ⟦ def limit ⟧

pub const Kind = enum { // ⟦ def Kind ⟧
    number, // ⟦ def Kind.number ⟧
    plus, // ⟦ def Kind.plus ⟧
    times, // ⟦ def Kind.times ⟧
    open, // ⟦ def Kind.open ⟧
    close, // ⟦ def Kind.close ⟧
    end, // ⟦ def Kind.end ⟧

    pub fn isOperator(self: Kind) bool { // ⟦ def Kind.isOperator ; ref Kind type ⟧
        return self == Kind.plus or self == Kind.times; // ⟦ ref Kind ; ref Kind.plus read ; ref Kind.times read ⟧
    }
};

pub const Token = struct { // ⟦ def Token ⟧
    kind: Kind, // ⟦ def Token.kind ; ref Kind type ⟧
    text: []const u8, // ⟦ def Token.text ⟧

    pub fn describe(self: Token) []const u8 { // ⟦ def Token.describe ; ref Token type ⟧
        if (self.kind == Kind.end) return "the end"; // ⟦ ref Token.kind read ; ref Kind ; ref Kind.end read ⟧
        return self.text; // ⟦ ref Token.text read ⟧
    }
};

pub const Lexer = struct { // ⟦ def Lexer ⟧
    source: []const u8, // ⟦ def Lexer.source ⟧
    at: usize, // ⟦ def Lexer.at ⟧

    pub fn init(source: []const u8) Lexer { // ⟦ def Lexer.init ; ref Lexer type ⟧
        return Lexer{ .source = source, .at = 0 }; // ⟦ call Lexer from Lexer.init ; ref Lexer.source write ; ref Lexer.at write ⟧
    }

    pub fn next(self: *Lexer) Token { // ⟦ def Lexer.next ; ref Lexer type ; ref Token type ⟧
        self.skip(); // ⟦ call Lexer.skip from Lexer.next ⟧
        const start = self.at; // ⟦ ref Lexer.at read ⟧
        if (start >= self.source.len) return Token{ .kind = Kind.end, .text = "" }; // ⟦ ref Lexer.source read ; call Token from Lexer.next ; ref Token.kind write ; ref Kind ; ref Kind.end read ; ref Token.text write ⟧
        const kind = classify(self.source[start]); // ⟦ call classify from Lexer.next ; ref Lexer.source read ⟧
        self.at += 1; // ⟦ ref Lexer.at write ⟧
        while (kind == Kind.number and self.at < self.source.len and std.ascii.isDigit(self.source[self.at])) { // ⟦ ref Kind ; ref Kind.number read ; ref Lexer.at read ; ref Lexer.source read ⟧
            self.at += 1; // ⟦ ref Lexer.at write ⟧
        }
        return Token{ .kind = kind, .text = self.source[start..self.at] }; // ⟦ call Token from Lexer.next ; ref Token.kind write ; ref Token.text write ; ref Lexer.source read ; ref Lexer.at read ⟧
    }

    fn skip(self: *Lexer) void { // ⟦ def Lexer.skip ; ref Lexer type ⟧
        while (self.at < self.source.len and self.source[self.at] == ' ') self.at += 1; // ⟦ ref Lexer.at ; ref Lexer.source read ⟧
    }
};

fn classify(letter: u8) Kind { // ⟦ def classify ; ref Kind type ⟧
    return switch (letter) {
        '+' => Kind.plus, // ⟦ ref Kind ; ref Kind.plus read ⟧
        '*' => Kind.times, // ⟦ ref Kind ; ref Kind.times read ⟧
        '(' => Kind.open, // ⟦ ref Kind ; ref Kind.open read ⟧
        ')' => Kind.close, // ⟦ ref Kind ; ref Kind.close read ⟧
        else => Kind.number, // ⟦ ref Kind ; ref Kind.number read ⟧
    };
}
