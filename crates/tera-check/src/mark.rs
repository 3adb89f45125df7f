//! The mark that `#[testera::check]` leaves in a test binary, so that contracts are found by
//! reading the file: nothing runs, and no list has to be kept.

/// Where a contract is, as its mark says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// With the name of the crate: `list::tests::merge_sort`.
    pub path: String,
    pub spec: String,
    pub file: String,
    pub line: u32,
}

const BEGIN: &str = "\u{1}testera contract\u{1}";

impl Mark {
    /// The test as libtest calls it: without the crate.
    pub fn test(&self) -> &str {
        self.path.split_once("::").map_or(&self.path, |(_, test)| test)
    }

    pub(crate) fn parse(text: &str) -> Option<Mark> {
        let mut parts = text.strip_prefix(BEGIN)?.split('\u{1}');
        Some(Mark {
            path: parts.next()?.to_owned(),
            spec: parts.next()?.to_owned(),
            file: parts.next()?.to_owned(),
            line: parts.next()?.parse().ok()?,
        })
    }

    /// All marks in the bytes of a binary, sorted, each once.
    pub fn find(binary: &[u8]) -> Vec<Mark> {
        let begin = BEGIN.as_bytes();
        let mut marks = Vec::new();
        let mut at = 0;
        while let Some(found) = find(&binary[at..], begin) {
            let start = at + found;
            at = start + begin.len();
            // A specification given as text may be long, but not this long.
            let end = (start + (1 << 20)).min(binary.len());
            let mut rest = binary[at..end].split(|&b| b == 1);
            let mut text = String::from(BEGIN);
            for part in rest.by_ref().take(4) {
                let Ok(part) = std::str::from_utf8(part) else { break };
                text += part;
                text.push('\u{1}');
            }
            marks.extend(Mark::parse(&text));
        }
        marks.sort();
        marks.dedup();
        marks
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let mut from = 0;
    // The first byte is rare: jump from one to the next.
    while let Some(i) = haystack[from..].iter().position(|&b| b == needle[0]) {
        if haystack[from + i..].starts_with(needle) {
            return Some(from + i);
        }
        from += i + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_among_other_bytes() {
        let mut binary = vec![0, 1, 2, 0xff];
        for line in [7, 3, 7] {
            binary.extend(
                format!("{BEGIN}list::tests::sort\u{1}list.als\u{1}src/lib.rs\u{1}{line}\u{1}").bytes(),
            );
            binary.extend([0xfe, 1, b't']);
        }
        let marks = Mark::find(&binary);
        assert_eq!(marks.len(), 2);
        assert_eq!(marks[0].line, 3);
        assert_eq!(marks[1].test(), "tests::sort");
    }

    #[test]
    fn the_bare_beginning_is_no_mark() {
        assert_eq!(Mark::find(BEGIN.as_bytes()), []);
    }
}
