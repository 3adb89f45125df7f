//! A checksum of instance lines, in the summary of a shard: `tera merge` sees by it that no line was
//! lost, doubled, moved or damaged on the way.
//!
//! Multiply and rotate over words of eight bytes; it guards against accidents, not against malice,
//! and costs little beside the writing itself.

/// Of a sequence of lines, without their line breaks.
#[derive(Clone, Default)]
pub struct Checksum(u64);

/// An odd number with its bits well mixed, from splitmix64.
const FACTOR: u64 = 0xbf58_476d_1ce4_e5b9;

impl Checksum {
    pub fn line(&mut self, line: &[u8]) {
        // The length tells lines apart that only differ in where one ends.
        self.mix(line.len() as u64);
        let (words, rest) = line.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(last));
    }

    fn mix(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(FACTOR).rotate_left(29);
    }

    pub fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[&str]) -> String {
        let mut checksum = Checksum::default();
        lines.iter().for_each(|line| checksum.line(line.as_bytes()));
        checksum.text()
    }

    #[test]
    fn lines_lost_doubled_moved_or_damaged_are_seen() {
        let whole = of(&["{\"index\":0}", "{\"index\":1}", "{\"index\":2}"]);
        let others: [&[&str]; 6] = [
            &["{\"index\":0}", "{\"index\":2}"],
            &["{\"index\":0}", "{\"index\":1}", "{\"index\":1}", "{\"index\":2}"],
            &["{\"index\":1}", "{\"index\":0}", "{\"index\":2}"],
            &["{\"index\":0}", "{\"index\":1}", "{\"index\":3}"],
            &["{\"index\":0}{\"index\":1}", "{\"index\":2}"],
            &["{\"index\":0}", "{\"index\":1}", "{\"index\":2}\0"],
        ];
        for other in others {
            assert_ne!(of(other), whole, "{other:?}");
        }
        assert_eq!(of(&["{\"index\":0}", "{\"index\":1}", "{\"index\":2}"]), whole);
    }
}
