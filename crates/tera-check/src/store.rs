//! What a run leaves on disk, in `target/testera/NAME/`: the last report, the counterexamples with
//! their pictures (replayed first in the next run), and how far an interrupted run had come.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tera_rel::{AtomId, Problem, TupleSet};

use crate::inputs::Layout;
use crate::report::Group;

/// The folder of one contract.
pub struct Store {
    pub dir: PathBuf,
}

impl Store {
    pub fn new(contract_name: &str) -> Store {
        Store { dir: target_dir().join("testera").join(folder(contract_name)) }
    }

    /// A name for the reader: from the current directory if it lies below.
    pub fn shown(&self, file: &str) -> String {
        let path = self.dir.join(file);
        let here = std::env::current_dir().unwrap_or_default();
        path.strip_prefix(here).unwrap_or(&path).display().to_string()
    }

    /// Writes a file as a whole or not at all, whenever the process is killed.
    pub fn write(&self, file: &str, bytes: &[u8]) -> io::Result<()> {
        std::fs::create_dir_all(&self.dir)?;
        let part = self.dir.join(format!(".{file}.{}", std::process::id()));
        std::fs::write(&part, bytes)?;
        std::fs::rename(&part, self.dir.join(file))
    }

    pub fn write_json(&self, file: &str, value: &Value) -> io::Result<()> {
        self.write(file, format!("{value:#}\n").as_bytes())
    }

    /// Moves the pictures of a failure from its details into files of this name.
    pub fn write_picture(&self, group: &mut Group, name: &str) {
        for kind in ["svg", "dot"] {
            let Some(Value::String(picture)) = group.detail.as_object_mut().and_then(|d| d.remove(kind))
            else {
                continue;
            };
            let file = format!("{name}.{kind}");
            if self.write(&file, picture.as_bytes()).is_ok() && kind == "svg" {
                group.picture = Some(self.shown(&file));
            }
        }
    }

    pub fn read_json(&self, file: &str) -> Option<Value> {
        serde_json::from_slice(&std::fs::read(self.dir.join(file)).ok()?).ok()
    }

    pub fn remove(&self, file: &str) {
        let _ = std::fs::remove_file(self.dir.join(file));
    }

    /// Removes what runs that were killed left for their workers: `PID-NAME.shared` and the like.
    pub fn remove_files_of_the_dead(&self) {
        for entry in std::fs::read_dir(self.dir.join("workers")).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let pid = name.to_string_lossy().split('-').next().and_then(|pid| pid.parse().ok());
            if pid.is_some_and(|pid| !is_alive(pid)) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
        for entry in std::fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let pid = name.strip_prefix('.').and_then(|name| name.rsplit('.').next()?.parse().ok());
            if pid.is_some_and(|pid| !is_alive(pid)) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// Removes the pictures and counterexamples of earlier runs.
    pub fn remove_numbered(&self) {
        for entry in std::fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_numbered = name.split('.').next().is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
            if is_numbered && [".svg", ".dot", ".json"].iter().any(|end| name.ends_with(end)) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// Whether there is a process of this number.
#[cfg(unix)]
fn is_alive(pid: i32) -> bool {
    // A process that nobody has buried is dead all the same.
    if let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat"))
        && stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X']))
    {
        return false;
    }
    // Safety: signal 0 asks and does nothing.
    let asked = unsafe { libc::kill(pid, 0) };
    asked == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
}

#[cfg(not(unix))]
fn is_alive(_pid: i32) -> bool {
    true
}

/// `list::tests::merge_sort` as `list.merge_sort`: modules called `tests` say nothing.
fn folder(name: &str) -> String {
    let parts: Vec<&str> = name.split("::").collect();
    let kept: Vec<&str> = (parts.iter().enumerate())
        .filter(|&(i, part)| i + 1 == parts.len() || !matches!(*part, "tests" | "test"))
        .map(|(_, part)| *part)
        .collect();
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '-' };
    kept.join(".").chars().map(safe).collect()
}

/// The folder that cargo builds into: the one above this program that cargo has marked, else what
/// the environment says, else where cargo puts tests (`TARGET/PROFILE/deps`), else `target`.
fn target_dir() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let marked = program.ancestors().skip(1).find(|dir| dir.join("CACHEDIR.TAG").is_file());
    let said = || std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let deps = program.ancestors().find(|dir| dir.ends_with("deps"));
    let usual = || deps.and_then(|dir| dir.ancestors().nth(2)).map(Path::to_path_buf);
    marked.map(Path::to_path_buf).or_else(said).or_else(usual).unwrap_or_else(|| PathBuf::from("target"))
}

/// An input by the names of its tuples, so that it survives a change of the scope.
pub fn input_to_json(problem: &Problem, layout: &Layout, words: &[u64]) -> Value {
    let mut tuples: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (i, &(rel, tuple)) in layout.cells.iter().enumerate() {
        if words[i / 64] >> (i % 64) & 1 != 0 {
            let relation = problem.relation(rel);
            let names: Vec<&str> = atoms(problem, relation.arity(), tuple).collect();
            tuples.entry(&relation.name).or_default().push(json!(names));
        }
    }
    json!(tuples)
}

/// The input, if it is one in this layout.
pub fn input_from_json(problem: &Problem, layout: &Layout, value: &Value) -> Option<Vec<u64>> {
    let mut places = BTreeMap::new();
    for (i, &(rel, tuple)) in layout.cells.iter().enumerate() {
        let relation = problem.relation(rel);
        let names: Vec<&str> = atoms(problem, relation.arity(), tuple).collect();
        places.insert((relation.name.as_str(), names), i);
    }
    let mut words = vec![0; layout.words()];
    for (relation, tuples) in value.as_object()? {
        for tuple in tuples.as_array()? {
            let names: Option<Vec<&str>> = tuple.as_array()?.iter().map(Value::as_str).collect();
            let i = *places.get(&(relation.as_str(), names?))?;
            words[i / 64] |= 1 << (i % 64);
        }
    }
    Some(words)
}

fn atoms(problem: &Problem, arity: usize, tuple: u64) -> impl Iterator<Item = &str> {
    let n = problem.universe.len();
    let width = TupleSet::capacity(arity - 1, n).unwrap_or(1);
    let mut rest = tuple as usize;
    let mut width = width;
    (0..arity).map(move |_| {
        let atom = rest / width.max(1);
        rest %= width.max(1);
        width /= n.max(1);
        problem.universe.atom(AtomId(atom as u32)).name.as_str()
    })
}

/// A number for texts that must be the same for a stored state to be of use (FNV-1a).
pub fn fingerprint<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for text in texts {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tera_rel::{AtomKind, RelId, Role};

    #[test]
    fn folders_leave_out_what_says_nothing() {
        for (name, expected) in [
            ("list::tests::merge_sort", "list.merge_sort"),
            ("tests", "tests"),
            ("a b/c", "a-b-c"),
            ("x::tests", "x.tests"),
        ] {
            assert_eq!(folder(name), expected);
        }
    }

    #[test]
    fn an_input_survives_the_way_through_json() {
        let mut problem = Problem::default();
        for name in ["N$0", "N$1", "N$2"] {
            problem.universe.push(name, AtomKind::Object);
        }
        for (name, arity) in [("N", 1), ("next", 2), ("t", 3)] {
            let mut upper = TupleSet::empty(arity, 3);
            (0..3usize.pow(arity as u32)).for_each(|i| upper.insert_index(i));
            problem.add_relation(name, Role::Visible, TupleSet::empty(arity, 3), upper);
        }
        let layout = Layout::new(&problem, |rel| rel != RelId(9));
        let words = vec![0x2a_65cd_5b36u64];
        let value = input_to_json(&problem, &layout, &words);
        assert_eq!(input_from_json(&problem, &layout, &value), Some(words));
        let other = Layout::new(&problem, |rel| rel == RelId(1));
        assert_eq!(input_from_json(&problem, &other, &value), None);
    }
}
