//! One file out of a wheel, which is a zip archive: as much of the format as wheels use, and nothing of it believed.

use std::io::Read;

use flate2::Crc;
use flate2::read::DeflateDecoder;

/// What a library may take.
const LARGEST: u64 = 1 << 30;
const END: &[u8] = b"PK\x05\x06";
const ENTRY: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// The first file that is wanted by its path: its path and its content.
pub fn extract(
    wheel: &[u8],
    is_wanted: impl Fn(&str) -> bool,
) -> Result<(String, Vec<u8>), String> {
    let broken = || "it is not a whole zip archive".to_owned();
    // Behind everything, before a comment that wheels do not have but may.
    let tail = wheel.len().saturating_sub(0xFFFF + 22);
    let end = tail
        + wheel[tail..]
            .windows(4)
            .rposition(|window| window == END)
            .ok_or_else(broken)?;
    let comment = number16(wheel, end + 20)
        .map(usize::from)
        .ok_or_else(broken)?;
    if end + 22 + comment != wheel.len() {
        return Err(broken());
    }
    let count = number16(wheel, end + 10).ok_or_else(broken)?;
    let mut at =
        usize::try_from(number32(wheel, end + 16).ok_or_else(broken)?).map_err(|_| broken())?;
    for _ in 0..count {
        if wheel.get(at..at + 4) != Some(ENTRY) {
            return Err(broken());
        }
        let short = |offset: usize| {
            number16(wheel, at + offset)
                .map(usize::from)
                .ok_or_else(broken)
        };
        let long = |offset: usize| number32(wheel, at + offset).ok_or_else(broken);
        let (names, extras, comments) = (short(28)?, short(30)?, short(32)?);
        let name = wheel.get(at + 46..at + 46 + names).ok_or_else(broken)?;
        let name = std::str::from_utf8(name).map_err(|_| broken())?;
        if is_wanted(name) {
            let sizes = (u64::from(long(20)?), u64::from(long(24)?));
            let method = number16(wheel, at + 10).ok_or_else(broken)?;
            let local = usize::try_from(long(42)?).map_err(|_| broken())?;
            return Ok((
                name.to_owned(),
                content(wheel, local, method, sizes, long(16)?)?,
            ));
        }
        at += 46 + names + extras + comments;
    }
    Err("it does not have the library in it".to_owned())
}

fn content(
    wheel: &[u8],
    at: usize,
    method: u16,
    sizes: (u64, u64),
    sum: u32,
) -> Result<Vec<u8>, String> {
    let broken = || "it is not a whole zip archive".to_owned();
    if wheel.get(at..at + 4) != Some(LOCAL) || sizes.1 > LARGEST {
        return Err(broken());
    }
    let name = usize::from(number16(wheel, at + 26).ok_or_else(broken)?);
    let extra = usize::from(number16(wheel, at + 28).ok_or_else(broken)?);
    let from = at + 30 + name + extra;
    let packed = usize::try_from(sizes.0).map_err(|_| broken())?;
    let packed = wheel
        .get(from..from.checked_add(packed).ok_or_else(broken)?)
        .ok_or_else(broken)?;
    let mut content = vec![];
    match method {
        STORED => content.extend_from_slice(packed),
        DEFLATED => {
            let mut inflated = DeflateDecoder::new(packed).take(sizes.1 + 1);
            inflated
                .read_to_end(&mut content)
                .map_err(|error| format!("it cannot be unpacked: {error}"))?;
        }
        _ => return Err("it is packed in a way that wheels are not".to_owned()),
    }
    let mut crc = Crc::new();
    crc.update(&content);
    if content.len() as u64 == sizes.1 && crc.sum() == sum {
        Ok(content)
    } else {
        Err("it is damaged".to_owned())
    }
}

fn number16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn number32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    use super::*;

    /// A zip archive of these files.
    pub fn zip(files: &[(&str, &[u8])], method: u16) -> Vec<u8> {
        let (mut archive, mut directory) = (vec![], vec![]);
        for (name, content) in files {
            let mut crc = Crc::new();
            crc.update(content);
            let packed = if method == DEFLATED {
                let mut encoder = DeflateEncoder::new(vec![], Compression::default());
                encoder.write_all(content).expect("packed");
                encoder.finish().expect("packed")
            } else {
                content.to_vec()
            };
            let length = |bytes: &[u8]| u32::try_from(bytes.len()).expect("small").to_le_bytes();
            let names = u16::try_from(name.len()).expect("short").to_le_bytes();
            let offset = length(&archive);
            let shared = [
                &method.to_le_bytes()[..],
                &[0; 4],
                &crc.sum().to_le_bytes(),
                &length(&packed),
                &length(content),
            ]
            .concat();
            archive.extend(
                [
                    LOCAL,
                    &[20, 0, 0, 0],
                    &shared,
                    &names,
                    &[0, 0],
                    name.as_bytes(),
                    &packed,
                ]
                .concat(),
            );
            let rest = [&names[..], &[0; 12], &offset].concat();
            directory.extend(
                [
                    ENTRY,
                    &[20, 0, 20, 0, 0, 0],
                    &shared,
                    &rest,
                    name.as_bytes(),
                ]
                .concat(),
            );
        }
        let count = u16::try_from(files.len()).expect("few").to_le_bytes();
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).expect("small").to_le_bytes();
        let at = length(&archive);
        let end = [
            END,
            &[0; 4],
            &count,
            &count,
            &length(&directory),
            &at,
            &[0, 0],
        ]
        .concat();
        [archive, directory, end].concat()
    }

    #[test]
    fn the_wanted_file_comes_out_as_it_went_in() {
        let library = "a library of some size ".repeat(500);
        for method in [STORED, DEFLATED] {
            let wheel = zip(
                &[
                    ("onnxruntime/LICENSE", b"MIT"),
                    ("onnxruntime/capi/lib.so", library.as_bytes()),
                ],
                method,
            );
            let (name, content) =
                extract(&wheel, |name| name == "onnxruntime/capi/lib.so").expect("extracted");
            assert_eq!(
                (name.as_str(), content),
                ("onnxruntime/capi/lib.so", library.clone().into_bytes())
            );
            assert!(
                extract(&wheel, |name| name == "other")
                    .expect_err("absent")
                    .contains("does not have the library")
            );
        }
    }

    #[test]
    fn an_archive_that_is_cut_off_or_damaged_is_refused() {
        let library = "a library of some size ".repeat(50);
        let wheel = zip(&[("a.so", library.as_bytes()), ("b", b"other")], DEFLATED);
        let whole = extract(&wheel, |name| name == "a.so").expect("extracted").1;
        for length in 0..wheel.len() {
            assert!(
                extract(&wheel[..length], |name| name == "a.so").is_err(),
                "{length}"
            );
        }
        for at in 0..wheel.len() {
            let mut damaged = wheel.clone();
            damaged[at] ^= 0x55;
            if let Ok((_, content)) = extract(&damaged, |name| name == "a.so") {
                assert_eq!(content, whole, "{at}");
            }
        }
    }
}
