//! Moments as people write them, in UTC, and back.

const DAY: i64 = 86_400_000;
const HOUR: i64 = 3_600_000;
const MINUTE: i64 = 60_000;

/// `2026-11-15T15:45:12Z`, of milliseconds since 1970.
pub fn written(millis: i64) -> String {
    let (year, month, day) = date(millis.div_euclid(DAY));
    let seconds = millis.rem_euclid(DAY) / 1000;
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// `2026-11-15 15:45`.
pub fn minute(millis: i64) -> String {
    written(millis).replace('T', " ").chars().take(16).collect()
}

/// A date, or a date and a time, as [`written`] or nearly so. What has no zone is in UTC.
pub fn read(text: &str) -> Option<i64> {
    let text = text.trim();
    let date = text.get(..10)?;
    let mut parts = date
        .split('-')
        .map(|part| part.parse::<i64>().ok().filter(|_| is_digits(part)));
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || parts.next().is_some() {
        return None;
    }
    let midnight = days(year, month, day) * DAY;
    let Some(time) = text[10..].strip_prefix(['T', 't', ' ']) else {
        return text[10..].is_empty().then_some(midnight);
    };
    let zone_at = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (time, zone) = time.split_at(zone_at);
    Some(midnight + clock(time.trim())? - offset(zone)?)
}

/// How long `30m`, `24h`, `7d` or `2w` are.
pub fn span(text: &str) -> Option<i64> {
    let text = text.trim();
    let unit_at = text.find(|letter: char| !letter.is_ascii_digit())?;
    let number: i64 = text[..unit_at].parse().ok()?;
    let unit = match text[unit_at..].trim() {
        "m" | "min" | "minute" | "minutes" => MINUTE,
        "h" | "hour" | "hours" => HOUR,
        "d" | "day" | "days" => DAY,
        "w" | "week" | "weeks" => 7 * DAY,
        _ => return None,
    };
    number.checked_mul(unit)
}

/// `15:45`, `15:45:12` or `15:45:12.5`.
fn clock(time: &str) -> Option<i64> {
    let mut parts = time.split(':');
    let mut next = |most: i64| {
        let part = parts.next().unwrap_or("0");
        let whole = part.split('.').next().unwrap_or(part);
        whole
            .parse::<i64>()
            .ok()
            .filter(|value| is_digits(whole) && *value <= most)
    };
    let (hours, minutes, seconds) = (next(23)?, next(59)?, next(60)?);
    parts
        .next()
        .is_none()
        .then_some(hours * HOUR + minutes * MINUTE + seconds * 1000)
}

/// Of `Z`, nothing, `+02:00`, `-0530` or `+02`.
fn offset(zone: &str) -> Option<i64> {
    let Some(sign) = zone.chars().next().filter(|sign| "+-".contains(*sign)) else {
        return Some(0);
    };
    let digits: String = zone[1..].chars().filter(|letter| *letter != ':').collect();
    if !is_digits(&digits) || !matches!(digits.len(), 2 | 4) {
        return None;
    }
    let minutes = digits
        .get(2..)
        .filter(|rest| !rest.is_empty())
        .map_or(Some(0), |rest| rest.parse::<i64>().ok())?;
    let millis = digits[..2].parse::<i64>().ok()? * HOUR + minutes * MINUTE;
    Some(if sign == '-' { -millis } else { millis })
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Days since 1970 of a date. Years are taken to begin in March, so that the odd day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
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
        for day in -200_000..200_000 {
            let (year, month, of_month) = date(day);
            assert_eq!(days(year, month, of_month), day);
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
            "2026-1-1",
            "2026-11-15x",
            "2026-11-15T25:00",
            "15.11.2026ab",
        ] {
            assert_eq!(read(nonsense), None, "{nonsense}");
        }
        assert_eq!(
            [span("30m"), span("24h"), span("7d"), span("2 weeks")],
            [1_800_000, DAY, 7 * DAY, 14 * DAY].map(Some)
        );
        assert_eq!([span("7"), span("d"), span("7y"), span("-1d")], [None; 4]);
    }
}
