//! Values that are assigned to a name of a credential, in any syntax: `password = "…"`.
//!
//! The name alone proves little: in code most passwords are variables, calls and types. So the value must be a literal that
//! nobody would write as a name or a placeholder. The few bytes after a name decide which syntax is tried, which keeps this
//! cheap enough for every `token` in every text.

use std::ops::Range;

use super::Secret;
use super::context::{Context, Gap, is_among_settings};
use super::names::{self, Name};
use super::scan::{
    LONGEST_LITERAL, REACH, before_escaped_quote, is_name_byte, literal, skip_line_end, skip_space,
    skip_yaml_properties, window, window_before, word,
};
use super::values::{
    CredentialClass, Notation, is_credential, is_named_argument, is_unmistakable,
    is_unmistakable_key,
};

/// The longest value without quotes.
const LONGEST_BARE: usize = 512;

pub fn find(text: &str) -> Vec<Secret> {
    let mut secrets = vec![];
    let mut from = 0;
    while let Some(name) = names::next(text, from) {
        from = name.end;
        let kind = match name.claim {
            CredentialClass::Password => "password",
            CredentialClass::Secret => "secret",
            CredentialClass::Key | CredentialClass::Unknown => "key or token",
        };
        for range in name.values() {
            from = range.end.max(from);
            secrets.push(Secret { range, kind });
        }
    }
    secrets
}

impl Name<'_> {
    fn values(&self) -> Vec<Range<usize>> {
        let values = self.collection();
        if values.is_empty() {
            self.value().into_iter().collect()
        } else {
            values
        }
    }

    /// Finds the value by the syntax that the text after the name suggests.
    fn value(&self) -> Option<Range<usize>> {
        let rest = window(self.text, self.end, REACH);
        let behind = rest.trim_start_matches(['"', '\'', ']', '\\', '*', '`', ')']);
        let closing = &rest[..rest.len() - behind.len()];
        if closing.len() > 4 {
            return None;
        }
        let is_quoted = closing.contains(['"', '\'']);
        let is_unquoted = closing.is_empty();
        let sign = behind.trim_start_matches([' ', '\t']);
        let gap = behind.len() - sign.len();
        let at = self.end + closing.len() + gap;
        if closing.contains(')') {
            return self.fallback(sign, at);
        }
        let mut signs = sign.bytes();
        match (signs.next()?, signs.next()) {
            (b'=' | b'!', Some(b'=')) => self.literal(
                at + sign
                    .bytes()
                    .take_while(|byte| matches!(byte, b'=' | b'!'))
                    .count(),
            ),
            (b'=', Some(b'>')) => self.assigned_value(at + 2),
            (b':', Some(b'=')) => self
                .expansion(at + 2)
                .or_else(|| self.assigned_value(at + 2)),
            (b':', Some(b'-')) => self.expansion(at + 2),
            (b':', Some(b':')) => None,
            (b':', _) => {
                let block = || self.block_scalar(at + 1);
                let plain = || {
                    self.assigned_value(at + 1)
                        .or_else(|| self.typed_value(at + 1, Type::Annotation))
                };
                self.expansion(at + 1).or_else(block).or_else(plain)
            }
            (b'=', _) => self.assigned_value(at + 1),
            (b'|' | b'?', Some(b'|' | b'?' | b':')) => self.fallback(sign, at),
            (b',', _) if is_quoted => self.named_value(at + 1).or_else(|| self.argument(at + 1)),
            (b',', _) => self.named_value(at + 1),
            (b'v' | b'V', Some(b'a')) | (b'p' | b't' | b'r' | b'c' | b'i' | b'a', _)
                if is_quoted && gap > 0 =>
            {
                self.attribute(at)
            }
            (b'\n' | b'\r', _) => self.named_value(at),
            (b'{', _) if is_quoted => self.terraform_default(at + 1),
            (b'[', _) if is_unquoted => self.typed_value(at, Type::Array),
            (b'{', _) if is_unquoted => self.property(at),
            (b'(', _) if is_unquoted && gap == 0 => self.call_argument(at + 1),
            (b'>', _) if is_unquoted && gap == 0 => self.element(at + 1, Tag::Name),
            (b'>', _) if is_quoted && gap == 0 => self.element(at + 1, Tag::Attribute),
            _ if is_unquoted && gap > 0 => {
                let prose = || self.fallback(sign, at).or_else(|| self.sentence(at));
                self.typed_value(at, Type::Word)
                    .or_else(|| self.option(at))
                    .or_else(prose)
            }
            _ => None,
        }
    }

    /// Matches `password = "…"` and `password: …`, also with an anchor, a tag or a line break before the value.
    fn assigned_value(&self, at: usize) -> Option<Range<usize>> {
        let start = skip_yaml_properties(self.text, skip_space(self.text, at));
        if let Some(range) = literal(self.text, skip_line_end(self.text, start)) {
            return self.accept(range, Notation::Literal);
        }
        self.alternative(start).or_else(|| self.bare(start, at))
    }

    /// Matches `condition ? "…" : other`.
    fn alternative(&self, at: usize) -> Option<Range<usize>> {
        let line = window(self.text, at, REACH).lines().next()?;
        let question = line.find("? \"").or_else(|| line.find("? '"))?;
        self.literal(at + question + 2)
    }

    fn literal(&self, at: usize) -> Option<Range<usize>> {
        self.accept(
            literal(self.text, skip_space(self.text, at))?,
            Notation::Literal,
        )
    }

    fn accept(&self, range: Range<usize>, notation: Notation) -> Option<Range<usize>> {
        let value = &self.text[range.clone()];
        let is_one = |value: &str| is_credential(value, self.claim, notation);
        (is_one(value) || before_escaped_quote(value).is_some_and(is_one)).then_some(range)
    }

    /// Matches a value without quotes. `sign` is the position after the `=` or `:`.
    fn bare(&self, at: usize, sign: usize) -> Option<Range<usize>> {
        let rest = window(self.text, at, LONGEST_BARE);
        let first = rest.bytes().next()?;
        // Nearly all of these begin expressions.
        if matches!(
            first,
            b'(' | b'{' | b'[' | b'$' | b'<' | b'\n' | b'\r' | b'"' | b'\'' | b'`'
        ) {
            return None;
        }
        let gap = if at == sign { Gap::None } else { Gap::Space };
        let context = Context::new(self.text, self.start, self.end, gap);
        let (value, notation) = match context {
            Context::Code => return None,
            Context::Option => (
                word(rest),
                if gap == Gap::None {
                    Notation::Literal
                } else {
                    Notation::Bare
                },
            ),
            Context::String => (word(rest), Notation::Bare),
            Context::Connection if rest.starts_with('\'') => return None,
            Context::Connection => (
                rest.split([';', '"', '\'', '`', '\n', ' ', ','])
                    .next()?
                    .trim_end(),
                Notation::Literal,
            ),
            Context::Mapping => (
                rest.split([',', '}', '\n']).next()?.trim_end(),
                Notation::Literal,
            ),
            Context::Variable => (
                rest.split([' ', '\t', '\n', '\r']).next()?,
                Notation::Literal,
            ),
            Context::Setting => return self.setting(rest, at, gap),
        };
        let is_expression = notation == Notation::Literal && value.contains(['(', ')', '`']);
        if is_expression || context == Context::Mapping && !is_unmistakable(value) {
            return None;
        }
        self.accept(at..at + value.len(), notation)
            .map(|range| self.extend(range))
    }

    /// Matches the rest of a line, or its first word if a comment follows.
    fn setting(&self, rest: &str, at: usize, gap: Gap) -> Option<Range<usize>> {
        let line = rest.lines().next()?.trim_end();
        let line = line.split(" #").next()?.trim_end();
        let line = line.split("*/").next()?.trim_end();
        let value = line.split([' ', '\t']).next()?;
        let is_alone = value.len() == line.len();
        if is_alone && is_credential(value, self.claim, Notation::Bare) {
            return Some(self.extend(at..at + value.len()));
        }
        // Without a digit the value may be a name, unless it is among other settings.
        let is_expression = line.contains([
            '(', ')', '[', ']', '{', '}', ';', ',', '<', '>', '"', '\'', '`', '|', '\\', '=',
        ]) || line
            .starts_with(['$', '%', '*', '!', '@', '/', '.', '-', '~', ':', '&']);
        let is_of_object = gap == Gap::None && self.text[..self.start].ends_with("self.")
            || self.text[..self.start].ends_with("this.");
        if is_expression || is_of_object || !is_among_settings(self.text, at) {
            return None;
        }
        self.accept(at..at + line.len(), Notation::Literal)
            .filter(|_| self.claim == CredentialClass::Password || is_alone)
    }

    /// Extends a value that is longer than the window up to the next space.
    fn extend(&self, range: Range<usize>) -> Range<usize> {
        if range.len() + 4 < LONGEST_BARE {
            return range;
        }
        let more = self.text[range.end..]
            .bytes()
            .take(LONGEST_LITERAL)
            .take_while(u8::is_ascii_graphic)
            .count();
        range.start..range.end + more
    }

    /// Matches `password: |` and `>-`: the indented lines below are the value.
    fn block_scalar(&self, at: usize) -> Option<Range<usize>> {
        let start = skip_yaml_properties(self.text, skip_space(self.text, at));
        let rest = window(self.text, start, LONGEST_LITERAL / 4);
        if !rest.starts_with(['|', '>']) {
            return None;
        }
        let head = rest.lines().next()?;
        head[1..]
            .trim()
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-'))
            .then_some(())?;
        let key = window_before(self.text, self.start, 120)
            .rsplit('\n')
            .next()?;
        let outer = key.len() - key.trim_start().len();
        let mut range: Option<Range<usize>> = None;
        let (mut offset, mut lines) = (start, 0);
        for line in rest.split_inclusive('\n') {
            let line_start = offset + line.len() - line.trim_start().len();
            let indent = line_start - offset;
            offset += line.len();
            // Skips the head, and blank lines.
            if line_start == start || line.trim().is_empty() {
                continue;
            }
            if indent <= outer || line.trim_start().starts_with("-----BEGIN") {
                break;
            }
            range =
                Some(range.map_or(line_start, |range| range.start)..line_start + line.trim().len());
            lines += 1;
        }
        let range = range?;
        let value = &self.text[range.clone()];
        let is_key = || {
            value
                .lines()
                .all(|line| line.trim().len() >= 20 && !line.trim().contains(' '))
        };
        match lines {
            1 => self.accept(range, Notation::Literal),
            _ => is_key().then_some(range),
        }
    }

    /// Matches `${PASSWORD:-…}` and `${ledger.password:…}`: the value extends to the brace.
    fn expansion(&self, at: usize) -> Option<Range<usize>> {
        let head = window_before(self.text, self.start, 60);
        let head = head.trim_end_matches(|letter: char| {
            letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.')
        });
        head.ends_with("${").then_some(())?;
        let rest = window(self.text, at, LONGEST_BARE);
        let value = &rest[..rest.find(['}', '\n'])?];
        self.accept(at..at + value.len(), Notation::Literal)
    }

    /// Matches `process.env.PASSWORD || "…"`, `env.get("PASSWORD") ?? "…"`, `ENV.fetch("PASSWORD") { "…" }` and
    /// `find("#password").type("…")`.
    fn fallback(&self, sign: &str, at: usize) -> Option<Range<usize>> {
        #[rustfmt::skip]
        const SIGNS: [&str; 14] = [
            "||=", "||", "??=", "??", "?:", "or ", "{", ".unwrap_or(", ".type(", ".fill(", ".sendKeys(", ".send_keys(",
            ".setValue(", ".val(",
        ];
        let operator = SIGNS.iter().find(|operator| sign.starts_with(**operator))?;
        self.literal(at + operator.len())
    }

    /// Matches `variable "db_password" { … default = "…" }`.
    fn terraform_default(&self, at: usize) -> Option<Range<usize>> {
        let rest = window(self.text, at, 600);
        let block = &rest[..rest.find('}')?];
        let default = block.find("default")?;
        let behind = block[default + "default".len()..]
            .trim_start()
            .strip_prefix('=')?;
        let range = literal(self.text, at + block.len() - behind.trim_start().len())?;
        self.accept(range, Notation::Literal)
    }

    /// Matches `name: PASSWORD` and then `value: …`, on the next line or after a comma.
    fn named_value(&self, at: usize) -> Option<Range<usize>> {
        let rest = window(self.text, at, REACH);
        let key = rest.trim_start().trim_start_matches(['"', '\'', '\\']);
        let behind = key
            .strip_prefix("value")
            .or_else(|| key.strip_prefix("Value"))?;
        let behind = behind.trim_start_matches(['"', '\'', '\\']).trim_start();
        let behind = behind.strip_prefix([':', '='])?;
        let start = skip_space(self.text, at + rest.len() - behind.len());
        if let Some(range) = literal(self.text, start) {
            return self.accept(range, Notation::Literal);
        }
        let line = window(self.text, start, LONGEST_BARE).lines().next()?;
        let value = line.split([',', '}']).next()?.trim_end();
        let is_expression = value.contains(['(', '[', '{', '$', '.', ';'])
            || value.starts_with(['&', '*', '!', '|', '>']);
        (!is_expression).then(|| self.accept(start..start + value.len(), Notation::Literal))?
    }

    /// Matches `tokens = ["…", "…"]` and `passwords = { ada: "…" }`: every literal of a list or map, except keys.
    fn collection(&self) -> Vec<Range<usize>> {
        let rest = window(self.text, self.end, REACH);
        let line = rest.lines().next().unwrap_or_default();
        let name = self.text[self.start..self.end].to_ascii_lowercase();
        let is_plural = name.ends_with('s') && !name.ends_with("pass");
        let Some(open) = line
            .find('[')
            .filter(|open| *open < 8)
            .or_else(|| line.find('{').filter(|_| is_plural))
        else {
            return vec![];
        };
        let sign = line[..open].trim_start_matches(['"', '\'', ' ']);
        if !sign.starts_with(['=', ':']) || sign.contains(['(', ';', ',', '"', '\'']) {
            return vec![];
        }
        let mut values = vec![];
        let mut at = self.end + open + 1;
        // A list may span several lines; a map that does is a structure with names of its own.
        let is_map = line[open..].starts_with('{');
        let line_end = self.end + line.len();
        for _ in 0..24 {
            if is_map && at > line_end {
                break;
            }
            let rest = window(self.text, at, REACH);
            let Some(quote) = rest.find(['"', '\'', '`', ']', '}']) else {
                break;
            };
            let Some(range) = literal(self.text, at + quote) else {
                break;
            };
            at = range.end + 1;
            let is_key = window(self.text, at, 4)
                .trim_start()
                .starts_with([':', '=']);
            if !is_key {
                values.extend(self.accept(range, Notation::Literal));
            }
        }
        values
    }

    /// Matches `--password hunter2` and `ENV DB_PASSWORD hunter2`.
    fn option(&self, at: usize) -> Option<Range<usize>> {
        let value = word(window(self.text, at, LONGEST_BARE));
        let is_image = || {
            window_before(self.text, self.start, 60)
                .rsplit('\n')
                .next()
                .is_some_and(|line| line.trim_start().starts_with("ENV "))
        };
        if Context::new(self.text, self.start, self.end, Gap::Space) != Context::Option {
            return None;
        }
        if value.is_empty() {
            return self.literal(at);
        }
        let notation = if is_image() {
            Notation::Literal
        } else {
            Notation::Bare
        };
        self.accept(at..at + value.len(), notation)
    }

    /// Matches "the password is `…`", "password for the printer: …" and "use the token …".
    fn sentence(&self, at: usize) -> Option<Range<usize>> {
        let is_verb = self.text[self.start..self.end].eq_ignore_ascii_case("pass")
            && !self.text[..self.start]
                .ends_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_');
        let line = window(self.text, at, REACH).lines().next()?;
        if self.claim == CredentialClass::Unknown || is_verb {
            return None;
        }
        let verb = [" is ", " is: ", "is ", "is: "].iter().find_map(|verb| {
            let place = line
                .find(verb)
                .filter(|place| verb.starts_with(' ') || *place == 0)?;
            (place < 40 && !line[..place].contains(['.', ';', '(', '=']))
                .then_some(place + verb.len())
        });
        let behind = &line[verb.unwrap_or(0)..];
        let start = at + line.len() - behind.len();
        if behind.starts_with(['"', '\'', '`']) && self.claim == CredentialClass::Password {
            return self.literal(start);
        }
        let behind = behind.trim_start_matches([' ', ':', '`', '"', '\'', '*']);
        let start = at + line.len() - behind.len();
        let value = word(behind).trim_end_matches(['.', '`', '*', '!', '?', ':']);
        // Punctuation at the end may belong to the password.
        let end = start + value.len();
        let more = self.text[end..]
            .bytes()
            .take_while(|byte| matches!(byte, b'!' | b'?' | b'*'))
            .count();
        let is_one = if self.claim == CredentialClass::Password {
            is_unmistakable(value)
        } else {
            is_unmistakable_key(value)
        };
        is_one.then(|| start..end + more)
    }

    /// Matches `password: str = "…"` and `var password string = "…"`, with a type between the name and the value.
    fn typed_value(&self, at: usize, kind: Type) -> Option<Range<usize>> {
        let rest = window(self.text, at, REACH);
        let annotation = &rest[..rest.find(['=', '\n'])?];
        let is_type = !annotation.trim().is_empty()
            && annotation.trim_end().bytes().all(|byte| kind.allows(byte))
            && annotation.matches('<').count() == annotation.matches('>').count();
        (is_type && self.text[at + annotation.len()..].starts_with('=')).then_some(())?;
        self.literal(at + annotation.len() + 1)
    }

    /// Matches `Password { get; set; } = "…"`.
    fn property(&self, at: usize) -> Option<Range<usize>> {
        let rest = window(self.text, at, REACH);
        let accessors = rest.strip_prefix('{')?.trim_start();
        (accessors.starts_with("get") || accessors.starts_with("set")).then_some(())?;
        let close = rest.find(['}', '\n'])?;
        let behind = rest[close..].strip_prefix('}')?;
        let gap = behind.len() - behind.trim_start_matches([' ', '\t']).len();
        behind[gap..]
            .starts_with('=')
            .then(|| self.literal(at + close + 1 + gap + 1))?
    }

    /// Matches `setPassword("…")`, but not `getPassword("…")`, whose argument is a name.
    fn call_argument(&self, at: usize) -> Option<Range<usize>> {
        const SETTERS: [&str; 9] = [
            "set", "with", "use", "add", "put", "default", "login", "hash", "encode",
        ];
        let before = &self.text.as_bytes()[..self.start];
        let length = before
            .iter()
            .rev()
            .take(40)
            .take_while(|byte| is_name_byte(**byte))
            .count();
        let head = self.text[self.start - length..self.start].to_ascii_lowercase();
        // The `api` of `apiKey("…")` is part of the name.
        let is_owner = || names::OWNERS.contains(&head.as_str());
        (head.is_empty() || is_owner() || SETTERS.iter().any(|verb| head.starts_with(verb)))
            .then_some(())?;
        let range = self.literal(at)?;
        // The argument of `secret("of the day")` may be anything.
        if self.claim == CredentialClass::Secret && self.text[range.clone()].contains(' ') {
            return None;
        }
        // Looks after the closing quote.
        let next = window(self.text, range.end + 1, 8).trim_start();
        next.starts_with([')', ',', '.']).then_some(range)
    }

    /// Matches `define('DB_PASSWORD', '…')`, `headers.set("X-Api-Key", "…")` and `add_argument("--password", default="…")`.
    fn argument(&self, at: usize) -> Option<Range<usize>> {
        #[rustfmt::skip]
        const SETTERS: [&str; 16] = [
            "set", "put", "add", "append", "define", "header", "default", "env", "get", "property", "fetch", "values", "string",
            "fill", "option", "type",
        ];
        let before = window_before(self.text, self.start, 100);
        let before = &before[..before
            .rfind(['"', '\'', ' '])
            .filter(|quote| !before[*quote..].starts_with(' '))?];
        let callee = &before[..before
            .rfind('(')
            .filter(|open| !before[*open..].contains(['"', '\'', ')']))?];
        let length = callee
            .bytes()
            .rev()
            .take(40)
            .take_while(|byte| is_name_byte(*byte) || *byte == b' ')
            .count();
        let callee = callee[callee.len() - length..].to_ascii_lowercase();
        SETTERS
            .iter()
            .any(|verb| callee.contains(verb))
            .then_some(())?;
        let mut at = skip_space(self.text, at);
        if window(self.text, at, 10).starts_with("default=") {
            at += "default=".len();
        }
        let range = literal(self.text, at)?;
        is_named_argument(&self.text[range.clone()], self.claim).then_some(range)
    }

    /// Matches `<add key="ApiKey" value="…"/>`.
    fn attribute(&self, at: usize) -> Option<Range<usize>> {
        // `type="password"` is the type of an input field.
        if window_before(self.text, self.start, 6).ends_with("type=\"") {
            return None;
        }
        let rest = window(self.text, at, REACH);
        let tag = &rest[..rest.find(['>', '\n']).unwrap_or(rest.len())];
        let start = tag.find("value=").or_else(|| tag.find("Value="))?;
        self.literal(at + start + "value=".len())
    }

    /// Matches `<password>…</password>` and `<entry key="password">…</entry>`.
    fn element(&self, at: usize, tag: Tag) -> Option<Range<usize>> {
        let before = window_before(self.text, self.start, 60);
        let head = before.trim_end_matches(|letter: char| {
            letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | ':' | '.')
        });
        let is_tag = match tag {
            Tag::Name => head.ends_with('<'),
            Tag::Attribute => ["name=\"", "key=\"", "Name=\"", "Key=\""]
                .iter()
                .any(|start| head.ends_with(start)),
        };
        if !is_tag {
            return None;
        }
        let rest = window(self.text, at, LONGEST_BARE);
        let (inner, start) = if let Some(inner) = rest.trim_start().strip_prefix("<![CDATA[") {
            (&inner[..inner.find("]]>")?], at + rest.len() - inner.len())
        } else {
            let inner = &rest[..rest.find('<')?];
            rest[inner.len()..].starts_with("</").then_some(())?;
            (inner, at)
        };
        let value = inner.trim();
        let start = start + (inner.len() - inner.trim_start().len());
        let is_label = || {
            tag == Tag::Attribute
                && value
                    .bytes()
                    .skip(1)
                    .all(|byte| byte.is_ascii_lowercase() || byte == b' ')
        };
        self.accept(start..start + value.len(), Notation::Literal)
            .filter(|_| !is_label())
    }
}

/// The part of a tag that contains the name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    Name,
    Attribute,
}

/// The syntax of a type, by its characters.
#[derive(Clone, Copy)]
enum Type {
    /// A type after a colon: `password: &str`.
    Annotation,
    /// One word, as in Go: `password string`.
    Word,
    /// The size of an array: `[]`, `[32]`.
    Array,
}

impl Type {
    fn allows(self, byte: u8) -> bool {
        let is_of_name = byte.is_ascii_alphanumeric() || byte == b'_';
        match self {
            Self::Annotation => is_of_name || b" \t&*'.:<>[]?|".contains(&byte),
            Self::Word => is_of_name || matches!(byte, b'*' | b'.' | b'[' | b']'),
            Self::Array => is_of_name || matches!(byte, b'[' | b']'),
        }
    }
}
