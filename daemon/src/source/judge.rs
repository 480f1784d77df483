//! Which files are texts that somebody wrote.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    Binary,
    NotUtf8,
    TooLarge,
    Generated,
    Minified,
    Secret,
}

pub fn judge<'a>(_path: &str, bytes: &'a [u8]) -> Result<&'a str, Skip> {
    if bytes.iter().take(8000).any(|byte| *byte == 0) {
        return Err(Skip::Binary);
    }
    std::str::from_utf8(bytes).map_err(|_| Skip::NotUtf8)
}
