//! Broken specifications: whatever the text, loading and lowering end with a value, never a panic.
//!
//! The texts are the models and the standard library of the repository (and those of the directory
//! in `TERA_MUTATE`, for longer searches), changed token by token: dropped, doubled, swapped,
//! replaced by a token of another place.

mod support;

use std::path::{Path, PathBuf};

use support::{Files, deep};
use tera_model::{LowerOptions, Target};

/// A small generator: the same texts on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

fn tokens(text: &str) -> Vec<&str> {
    let mut result = Vec::new();
    let mut start = 0;
    let class = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            1
        } else if c.is_whitespace() {
            2
        } else {
            0
        }
    };
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    for two in chars.windows(2) {
        if class(two[0].1) != class(two[1].1) || class(two[0].1) == 0 {
            result.push(&text[start..two[1].0]);
            start = two[1].0;
        }
    }
    result.push(&text[start..]);
    result
}

fn corpus() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut dirs = vec![root.join("models"), root.join("stdlib/util")];
    dirs.extend(std::env::var_os("TERA_MUTATE").map(PathBuf::from));
    let mut files: Vec<PathBuf> = dirs
        .iter()
        .flat_map(|dir| std::fs::read_dir(dir).into_iter().flatten())
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "als"))
        .collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).expect("a text"))).collect()
}

fn exercise(text: &str) {
    let files = Files::new(&[("a.als", text)]);
    let Ok(spec) = tera_model::load(Path::new("a.als"), &[], &files) else { return };
    let options = LowerOptions { scope: None, ..LowerOptions::default() };
    for index in 0..spec.commands.len().min(4) {
        let _ = spec.lower(&Target::Command(index), &options);
    }
    let options =
        LowerOptions { scope: Some("2".into()), korat_ints: true, rooted: true, ..LowerOptions::default() };
    if let Ok(mut lowered) = spec.lower(&Target::Facts, &options) {
        let _ = spec.lower_expression(&mut lowered, "some univ and #iden > 1");
    }
}

#[test]
fn no_text_makes_a_panic() {
    let rounds: usize = std::env::var("TERA_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    let corpus = corpus();
    let all: Vec<Vec<&str>> = corpus.iter().map(|(_, text)| tokens(text)).collect();
    let mut random = Random(std::env::var("TERA_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(7));
    deep(|| {
        for _ in 0..rounds {
            let mut text = all[random.below(all.len())].clone();
            for _ in 0..1 + random.below(4) {
                let at = random.below(text.len());
                let other = &all[random.below(all.len())];
                match random.below(5) {
                    0 => drop(text.remove(at)),
                    1 => text.insert(at, text[random.below(text.len())]),
                    2 => {
                        let b = random.below(text.len());
                        text.swap(at, b);
                    }
                    3 => text[at] = other[random.below(other.len())],
                    _ => {
                        let from = random.below(other.len());
                        let piece = &other[from..(from + random.below(12)).min(other.len())];
                        text.splice(at..at, piece.iter().copied());
                    }
                }
                if text.is_empty() {
                    break;
                }
            }
            let text = text.concat();
            if std::panic::catch_unwind(|| exercise(&text)).is_err() {
                panic!("this text makes a panic:\n{text}");
            }
        }
    });
}
