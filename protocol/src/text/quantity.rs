//! Numbers, sizes and durations as people write them.

/// Formats a number with its noun: `1 file`, `2 files`.
pub fn count(number: u64, noun: &str) -> String {
    format!("{} {}", grouped(number), noun_for(number, noun))
}

/// Returns a noun in the form that fits a number: `file`, `files`, `properties`, `classes`, `indexes`, `matches`.
pub fn noun_for(number: u64, noun: &str) -> String {
    match noun.strip_suffix("ty") {
        _ if number == 1 => noun.to_owned(),
        Some(stem) => format!("{stem}ties"),
        None if noun.ends_with(['s', 'x']) || noun.ends_with("sh") || noun.ends_with("ch") => {
            format!("{noun}es")
        }
        None => format!("{noun}s"),
    }
}

/// Formats a number with separators: `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a size: `512 B`, `4.1 KB`, `23 MB`.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if number < 1000 {
        return format!("{number} B");
    }
    let mut unit = 0;
    let mut tenths = number / 100;
    while tenths >= 10_000 && unit + 1 < UNITS.len() {
        tenths /= 1000;
        unit += 1;
    }
    if tenths < 100 {
        format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
    } else {
        format!("{} {}", tenths / 10, UNITS[unit])
    }
}

/// Formats a duration: `45 s`, `12 min`, `3 h`, `5 days`.
pub fn duration(millis: i64) -> String {
    let seconds = millis.max(0) / 1000;
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        7200..=172_799 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// Formats an elapsed time: `0.4 ms`, `12 ms`, `1.2 s`.
pub fn elapsed(millis: f64) -> String {
    if millis >= 1000.0 {
        format!("{:.1} s", millis / 1000.0)
    } else if millis >= 9.95 {
        format!("{millis:.0} ms")
    } else {
        // Whole numbers need no decimals.
        format!("{} ms", (millis.max(0.0) * 10.0).round() / 10.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(
            [grouped(7), grouped(1234), grouped(1_234_567)],
            ["7", "1,234", "1,234,567"]
        );
        assert_eq!(
            [bytes(0), bytes(999), bytes(1000), bytes(4123)],
            ["0 B", "999 B", "1.0 KB", "4.1 KB"]
        );
        assert_eq!(
            [bytes(45_678), bytes(2_000_000), bytes(1_234_567_890)],
            ["45 KB", "2.0 MB", "1.2 GB"]
        );
        assert_eq!(
            [count(1, "file"), count(2000, "file")],
            ["1 file", "2,000 files"]
        );
        assert_eq!(
            [duration(3000), duration(600_000), duration(8_000_000)],
            ["3 s", "10 min", "2 h"]
        );
        assert_eq!(
            [elapsed(0.04), elapsed(0.44), elapsed(3.0)],
            ["0 ms", "0.4 ms", "3 ms"]
        );
        assert_eq!(
            [elapsed(9.97), elapsed(12.4), elapsed(1234.0)],
            ["10 ms", "12 ms", "1.2 s"]
        );
    }

    #[test]
    fn kinds_have_their_plurals() {
        assert_eq!(count(2, "property"), "2 properties");
        assert_eq!(count(2, "class"), "2 classes");
        assert_eq!(count(2, "alias"), "2 aliases");
        assert_eq!(
            [count(2, "key"), count(1, "property")],
            ["2 keys", "1 property"]
        );
    }
}
