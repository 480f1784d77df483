//! Cuts the parse tables out of a generated parser, and reads their values.
//!
//! Only the generator's own form is understood; anything else is a problem, never a guess.

use std::collections::HashMap;

/// A parser's source in three parts, the tables being cut out between them, and what they held.
pub struct Parser<'a> {
    pub before: &'a str,
    pub between: &'a str,
    pub after: &'a str,
    /// The table of states with many entries: a row for each state, a column for each symbol.
    pub large: Vec<u16>,
    /// The table of the other states, whose entries say themselves what they are of.
    pub small: Vec<u16>,
}

pub fn parser(source: &str) -> Result<Parser<'_>, String> {
    let symbols = symbols(source)?;
    let rows = defined(source, "LARGE_STATE_COUNT")?;
    let columns = defined(source, "SYMBOL_COUNT")?;
    let (before, large, rest) = cut(source, "ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT]")?;
    let (between, small, after) = cut(rest, "ts_small_parse_table[]")?;
    Ok(Parser {
        before,
        between,
        after,
        large: large_table(large, &symbols, rows, columns)?,
        small: small_table(small, &symbols)?,
    })
}

/// The numbers of the symbols by their names in the source.
fn symbols(source: &str) -> Result<HashMap<&str, u16>, String> {
    let (_, listed) = source
        .split_once("enum ts_symbol_identifiers {")
        .ok_or("it has no symbols")?;
    let (listed, _) = listed.split_once('}').ok_or("its symbols have no end")?;
    let mut symbols = HashMap::from([("ts_builtin_sym_end", 0)]);
    for entry in listed
        .split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
    {
        let (name, number) = entry
            .split_once(" = ")
            .ok_or_else(|| format!("{entry:?} is no symbol"))?;
        symbols.insert(
            name,
            number
                .parse()
                .map_err(|error| format!("{entry:?}: {error}"))?,
        );
    }
    Ok(symbols)
}

fn defined(source: &str, name: &str) -> Result<usize, String> {
    source
        .lines()
        .find_map(|line| {
            line.strip_prefix("#define ")?
                .strip_prefix(name)?
                .strip_prefix(' ')
        })
        .and_then(|value| value.trim().parse().ok())
        .ok_or_else(|| format!("it has no {name}"))
}

/// The source before a table, the table's values, and the source after it.
fn cut<'a>(source: &'a str, declared: &str) -> Result<(&'a str, &'a str, &'a str), String> {
    let start = format!("static const uint16_t {declared} = {{\n");
    let (before, rest) = source
        .split_once(&start)
        .ok_or_else(|| format!("it has no {declared}"))?;
    let (values, after) = rest
        .split_once("\n};\n")
        .ok_or_else(|| format!("{declared} has no end"))?;
    Ok((before, values, after))
}

/// A row for each of the states, of one value for each symbol; what is not given is zero.
fn large_table(
    values: &str,
    symbols: &HashMap<&str, u16>,
    rows: usize,
    columns: usize,
) -> Result<Vec<u16>, String> {
    let mut table = vec![0; rows * columns];
    let mut row = None;
    for line in values.lines().map(str::trim) {
        if line == "}," {
            row = None;
            continue;
        }
        let (place, given) = line
            .strip_prefix('[')
            .and_then(|line| line.split_once("] = "))
            .ok_or_else(|| format!("{line:?} is no entry of a table"))?;
        let place = usize::from(value(place, symbols)?);
        match row {
            None if given == "{" && place < rows => row = Some(place),
            Some(row) if place < columns => {
                table[row * columns + place] = value(given.trim_end_matches(','), symbols)?;
            }
            _ => return Err(format!("{line:?} is out of place")),
        }
    }
    Ok(table)
}

/// Values one after the other, some of them with their place in front.
fn small_table(values: &str, symbols: &HashMap<&str, u16>) -> Result<Vec<u16>, String> {
    let mut table = Vec::new();
    for entry in values
        .split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
    {
        let given = match entry
            .strip_prefix('[')
            .and_then(|entry| entry.split_once("] = "))
        {
            Some((place, given)) if place.parse() == Ok(table.len()) => given,
            Some(_) => return Err(format!("{entry:?} is out of place")),
            None => entry,
        };
        table.push(value(given, symbols)?);
    }
    Ok(table)
}

/// A number, `ACTIONS(3)`, `STATE(3)`, or the name of a symbol.
fn value(given: &str, symbols: &HashMap<&str, u16>) -> Result<u16, String> {
    let number = ["ACTIONS(", "STATE("]
        .iter()
        .find_map(|start| given.strip_prefix(start)?.strip_suffix(')'))
        .unwrap_or(given);
    number
        .parse()
        .ok()
        .or_else(|| symbols.get(number).copied())
        .ok_or_else(|| format!("{given:?} is neither a number nor a symbol"))
}
