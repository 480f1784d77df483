//! Extracts one file from a wheel, which is a zip archive.

use std::io::{Cursor, Read};

use zip::ZipArchive;

/// The largest library in bytes.
const LARGEST: u64 = 1 << 30;

/// Returns the path and content of the first file whose path is wanted.
pub fn extract(
    wheel: &[u8],
    is_wanted: impl Fn(&str) -> bool,
) -> Result<(String, Vec<u8>), String> {
    let broken = |error| format!("it is not a whole zip archive: {error}");
    let mut archive = ZipArchive::new(Cursor::new(wheel)).map_err(broken)?;
    let mut names = archive.file_names().flatten();
    let name = names
        .find(|name| is_wanted(name))
        .ok_or_else(|| "it does not have the library in it".to_owned())?
        .into_owned();
    drop(names);
    let file = archive.by_name(&name).map_err(broken)?;
    let size = file.size();
    let mut content = vec![];
    // The size in the archive is not trusted: the read is bounded.
    file.take(LARGEST + 1)
        .read_to_end(&mut content)
        .map_err(|error| format!("it cannot be unpacked: {error}"))?;
    if content.len() as u64 != size || size > LARGEST {
        return Err("it is damaged".to_owned());
    }
    Ok((name, content))
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, ZipWriter};

    use super::*;

    /// Returns a zip archive of these files.
    pub fn zip(files: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(vec![]));
        let options = SimpleFileOptions::default().compression_method(method);
        for (name, content) in files {
            archive.start_file(*name, options).expect("begun");
            archive.write_all(content).expect("written");
        }
        archive.finish().expect("finished").into_inner()
    }

    #[test]
    fn the_wanted_file_comes_out_as_it_went_in() {
        let library = "a library of some size ".repeat(500);
        for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
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
        let wheel = zip(
            &[("a.so", library.as_bytes()), ("b", b"other")],
            CompressionMethod::Deflated,
        );
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
