//! Literate files: the Alloy between ```` ```alloy ```` fences, at its own place in the text.

use std::borrow::Cow;

/// `text` with everything that is not Alloy overwritten by blanks, byte for byte, so that spans
/// stay true. A literate file opens with a line `---`, which begins a header that the next such
/// line ends, or has fences and a name that says so (`markdown`); any other text is all Alloy.
pub(crate) fn alloy_of(text: &str, markdown: bool) -> Cow<'_, str> {
    let header = text.lines().next() == Some("---");
    if !(markdown || header) || !text.lines().any(|line| line == "```alloy") {
        return Cow::Borrowed(text);
    }
    enum State {
        Header,
        Prose,
        Alloy,
    }
    let mut out = String::with_capacity(text.len());
    let mut state = if header { State::Header } else { State::Prose };
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        state = match state {
            State::Header if index > 0 && content == "---" => State::Prose,
            State::Prose if content == "```alloy" => State::Alloy,
            State::Alloy if !content.starts_with("```") => {
                out.push_str(line);
                State::Alloy
            }
            State::Alloy => State::Prose,
            same => same,
        };
        if out.len() < line.as_ptr() as usize - text.as_ptr() as usize + line.len() {
            out.extend(std::iter::repeat_n(' ', content.len()));
            out.push_str(&line[content.len()..]);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, markdown: bool, expected: &str) {
        let alloy = alloy_of(text, markdown);
        assert_eq!(alloy.len(), text.len(), "places must not move");
        let kept: Vec<&str> = alloy.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        assert_eq!(kept.join("\n"), expected);
    }

    #[test]
    fn only_the_fences_of_a_literate_file_are_alloy() {
        check(
            "---\ntitle: ä\n---\nsig Prose\n```alloy\nsig A {\n```\nand\n```alloy\n}\n```\n",
            false,
            "sig A {\n}",
        );
        check("# ü\r\n```alloy\r\nsig A {}\r\n```\r\n", true, "sig A {}");
        check("```rust\nfn main() {}\n```\n```alloy\nsig B {}", true, "sig B {}");
    }

    #[test]
    fn a_file_without_fences_is_all_alloy() {
        check("sig A {}", true, "sig A {}");
        check("--- a comment\nsig A {}", false, "--- a comment\nsig A {}");
    }
}
