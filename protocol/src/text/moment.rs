//! Formats and parses points in time, in UTC.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Formats milliseconds since 1970: `2026-11-15T15:45:12Z`.
pub fn written(millis: i64) -> String {
    formatted(millis, "%Y-%m-%dT%H:%M:%SZ")
}

/// Formats milliseconds since 1970: `2026-11-15 15:45`.
pub fn minute(millis: i64) -> String {
    formatted(millis, "%Y-%m-%d %H:%M")
}

fn formatted(millis: i64, format: &str) -> String {
    let moment = Timestamp::from_millisecond(millis).unwrap_or_default();
    moment.strftime(format).to_string()
}

/// Parses a date, or a date and a time, in the form of [`written`] or a similar one. Without a zone it is in UTC. Fractions of
/// a second are dropped.
pub fn read(text: &str) -> Option<i64> {
    let text = text.trim();
    let moment = text.parse::<Timestamp>().or_else(|_| {
        let local: DateTime = text.parse()?;
        local.to_zoned(TimeZone::UTC).map(|zoned| zoned.timestamp())
    });
    Some(moment.ok()?.as_second() * 1000)
}

/// Parses a date, or a duration before now: `2026-11-15`, `7d`.
pub fn since(text: &str, now: i64) -> Option<i64> {
    read(text).or_else(|| Some(now.saturating_sub(span(text)?)))
}

/// Returns the milliseconds of `30m`, `24h`, `7d` or `2w`.
pub fn span(text: &str) -> Option<i64> {
    let text = text.trim();
    let unit_at = text.find(|letter: char| !letter.is_ascii_digit())?;
    let number: i64 = text[..unit_at].parse().ok()?;
    let seconds = match text[unit_at..].trim() {
        "m" | "min" | "minute" | "minutes" => 60,
        "h" | "hour" | "hours" => 3600,
        "d" | "day" | "days" => 86_400,
        "w" | "week" | "weeks" => 604_800,
        _ => return None,
    };
    number.checked_mul(seconds * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_and_read_back() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_794_757_512_000, "2026-11-15T15:45:12Z"),
            (4_102_444_799_000, "2099-12-31T23:59:59Z"),
            (-1000, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(written(millis), text);
            assert_eq!(read(text), Some(millis), "{text}");
        }
        assert_eq!(minute(1_794_757_512_000), "2026-11-15 15:45");
    }

    #[test]
    fn moments_of_people_are_understood() {
        let whole = read("2026-11-15T15:45:12Z");
        for same in [
            "2026-11-15 15:45:12",
            "2026-11-15T17:45:12+02:00",
            "2026-11-15T10:15:12.25-0530",
        ] {
            assert_eq!(read(same), whole, "{same}");
        }
        assert_eq!(read("2026-11-15"), read("2026-11-15T00:00"));
        for nonsense in [
            "",
            "yesterday",
            "2026-13-01",
            "2026-02-31",
            "2026-1-1",
            "2026-11-15x",
            "2026-11-15T25:00",
            "15.11.2026ab",
        ] {
            assert_eq!(read(nonsense), None, "{nonsense}");
        }
        assert_eq!(
            [span("30m"), span("24h"), span("7d"), span("2 weeks")],
            [1_800_000, 86_400_000, 604_800_000, 1_209_600_000].map(Some)
        );
        assert_eq!([span("7"), span("d"), span("7y"), span("-1d")], [None; 4]);
    }
}
