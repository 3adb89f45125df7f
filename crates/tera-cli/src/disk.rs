//! Specification texts from the disk or from standard input.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use tera_model::Loader;

/// No specification is larger; devices that never end are cut off here.
const MOST_BYTES: u64 = 256 << 20;

/// Reads files; the path `-` is standard input.
pub struct Disk;

impl Loader for Disk {
    fn read(&self, path: &Path) -> Result<Option<String>, String> {
        if path == Path::new("-") {
            return read_text(std::io::stdin().lock()).map(Some);
        }
        match File::open(path) {
            Ok(file) => {
                if file.metadata().is_ok_and(|m| m.is_dir()) {
                    return Err("it is a directory; a file is wanted".into());
                }
                read_text(file).map(Some)
            }
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(plain(&error)),
        }
    }
}

/// The whole of a text file; the error says what is wrong with it.
pub fn read_text(source: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    source.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|e| plain(&e))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("it is larger than {} MB", MOST_BYTES >> 20));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].iter().filter(|&&b| b == b'\n').count() + 1;
        let byte = error.as_bytes()[valid];
        format!("it is not UTF-8: byte 0x{byte:02x} in line {line}; save it as UTF-8 text")
    })
}

/// The message of an operating system error without its number.
fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_not_utf8_is_refused_with_its_line() {
        let error = read_text(&b"sig A {}\n\xff"[..]).unwrap_err();
        assert_eq!(error, "it is not UTF-8: byte 0xff in line 2; save it as UTF-8 text");
    }

    #[test]
    fn a_directory_is_not_a_specification_and_a_missing_file_is_none() {
        assert!(Disk.read(Path::new(".")).unwrap_err().contains("directory"));
        assert_eq!(Disk.read(Path::new("no/such/file.als")), Ok(None));
    }
}
