const std = @import("std");
const token = @import("token.zig");
const Lexer = token.Lexer; // ⟦ ref Lexer import ⟧
const Kind = token.Kind; // ⟦ ref Kind import ⟧

pub const ParseError = error{ // ⟦ def ParseError ⟧
    Unexpected, // ⟦ def ParseError.Unexpected ⟧
    TooLong, // ⟦ def ParseError.TooLong ⟧
};

/// Reads a sum and says what it comes to.
pub const Parser = struct { // ⟦ def Parser ⟧
    lexer: Lexer, // ⟦ def Parser.lexer ; ref Lexer type ⟧
    current: token.Token, // ⟦ def Parser.current ; ref Token type ⟧

    pub fn init(source: []const u8) ParseError!Parser { // ⟦ def Parser.init ; ref ParseError type ; ref Parser type ⟧
        if (source.len > token.limit) return ParseError.TooLong; // ⟦ ref limit read ; ref ParseError ; ref ParseError.TooLong read ⟧
        var lexer = Lexer.init(source); // ⟦ ref Lexer ; call Lexer.init from Parser.init ⟧
        const first = lexer.next(); // ⟦ call Lexer.next from Parser.init ⟧
        return Parser{ .lexer = lexer, .current = first }; // ⟦ call Parser from Parser.init ; ref Parser.lexer write ; ref Parser.current write ⟧
    }

    pub fn sum(self: *Parser) ParseError!i64 { // ⟦ def Parser.sum ; ref Parser type ; ref ParseError type ⟧
        var total = try self.product(); // ⟦ call Parser.product from Parser.sum ⟧
        while (self.current.kind == Kind.plus) { // ⟦ ref Parser.current read ; ref Token.kind read ; ref Kind ; ref Kind.plus read ⟧
            self.skip(); // ⟦ call Parser.skip from Parser.sum ⟧
            total += try self.product(); // ⟦ call Parser.product from Parser.sum ⟧
        }
        return total;
    }

    fn product(self: *Parser) ParseError!i64 { // ⟦ def Parser.product ; ref Parser type ; ref ParseError type ⟧
        var total = try self.atom(); // ⟦ call Parser.atom from Parser.product ⟧
        while (self.current.kind == Kind.times) { // ⟦ ref Parser.current read ; ref Token.kind read ; ref Kind ; ref Kind.times read ⟧
            self.skip(); // ⟦ call Parser.skip from Parser.product ⟧
            total *= try self.atom(); // ⟦ call Parser.atom from Parser.product ⟧
        }
        return total;
    }

    fn atom(self: *Parser) ParseError!i64 { // ⟦ def Parser.atom ; ref Parser type ; ref ParseError type ⟧
        const here = self.current; // ⟦ ref Parser.current read ⟧
        self.skip(); // ⟦ call Parser.skip from Parser.atom ⟧
        if (here.kind == Kind.open) { // ⟦ ref Token.kind read ; ref Kind ; ref Kind.open read ⟧
            const inner = try self.sum(); // ⟦ call Parser.sum from Parser.atom ⟧
            self.skip(); // ⟦ call Parser.skip from Parser.atom ⟧
            return inner;
        }
        return std.fmt.parseInt(i64, here.text, 10) catch ParseError.Unexpected; // ⟦ ref Token.text read ; ref ParseError ; ref ParseError.Unexpected read ⟧
    }

    fn skip(self: *Parser) void { // ⟦ def Parser.skip ; ref Parser type ⟧
        self.current = self.lexer.next(); // ⟦ ref Parser.current write ; ref Parser.lexer read ; call Lexer.next from Parser.skip ⟧
    }
};
