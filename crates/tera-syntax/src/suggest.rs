//! Finds the name that was probably meant.

/// The candidate most like `name`, when it is like enough to be a slip of the fingers. Of equally
/// good ones the first.
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A third of the letters may be wrong, so one in a name of two or three.
    let allowed = (name.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let distance = if candidate == name {
            continue;
        } else if candidate.eq_ignore_ascii_case(name) {
            0
        } else {
            strsim::damerau_levenshtein(name, candidate)
        };
        // A name of one letter resembles every other such name.
        let tiny = name.chars().count() == 1 && distance > 0;
        if distance <= allowed && !tiny && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, candidates: &[&str], expected: Option<&str>) {
        assert_eq!(suggest(name, candidates.iter().copied()), expected);
    }

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        check("nxt", &["elem", "next", "prev"], Some("next"));
        check("header", &["haeder"], Some("haeder"));
        check("node", &["Node", "nodes"], Some("Node"));
        check("x", &["y", "z"], None);
        check("x", &["X"], Some("X"));
        check("left", &["right", "key"], None);
    }
}
