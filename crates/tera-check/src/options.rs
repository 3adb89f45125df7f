//! What the surroundings ask of a run: `tera check` sets these variables, and so may anybody who
//! runs `cargo test`.
//!
//! | variable | meaning |
//! |---|---|
//! | `TESTERA_SCOPE` | replaces the scope of the contract |
//! | `TESTERA_KEEP_GOING=1` | collects all counterexamples |
//! | `TESTERA_WORKERS=n` | worker processes per contract, 1 if not said |
//! | `TESTERA_SHARD=i/n` | only the `i`th of `n` parts of the inputs |
//! | `TESTERA_TIMEOUT=s` | stops after so many seconds |
//! | `TESTERA_REPORT=file` | writes the report there as JSON |
//! | `TESTERA_PROGRESS=1` | a line on standard error that says how far the run is |
//! | `TESTERA_EXPLAIN=1` | says what would be run and runs nothing |
//! | `TESTERA_FRESH=1` | forgets what an interrupted run had done, and replays nothing |

use std::path::PathBuf;
use std::time::Duration;

use crate::contract::Contract;

/// Where the report goes, be it one about these very variables.
pub const REPORT: &str = "TESTERA_REPORT";

/// The variables, read once per run.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub scope: Option<String>,
    pub keep_going: bool,
    pub workers: usize,
    pub shard: Option<(u32, u32)>,
    pub timeout: Option<Duration>,
    pub report: Option<PathBuf>,
    pub progress: bool,
    pub fresh: bool,
    pub explain: bool,
}

impl Options {
    pub fn from_env() -> Result<Options, String> {
        Options::from(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn from(get: impl Fn(&str) -> Option<String>) -> Result<Options, String> {
        let flag = |name: &str| get(name).is_some_and(|value| value != "0");
        let wants =
            |name: &str, what: &str, value: &str| format!("error: {name} wants {what}, not `{value}`");
        let workers = match get("TESTERA_WORKERS") {
            None => 1,
            Some(text) => match text.parse() {
                Ok(n @ 1..=1024) => n,
                _ => return Err(wants("TESTERA_WORKERS", "a number from 1 to 1024", &text)),
            },
        };
        let shard = match get("TESTERA_SHARD") {
            None => None,
            Some(text) => {
                let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
                match parts {
                    Some((i, n)) if 1 <= i && i <= n => Some((i, n)),
                    _ => return Err(wants("TESTERA_SHARD", "i/n with i from 1 to n", &text)),
                }
            }
        };
        let timeout = match get("TESTERA_TIMEOUT") {
            None => None,
            Some(text) => match text.parse::<f64>() {
                Ok(seconds) if (0.0..1e9).contains(&seconds) => Some(Duration::from_secs_f64(seconds)),
                _ => return Err(wants("TESTERA_TIMEOUT", "a number of seconds", &text)),
            },
        };
        Ok(Options {
            scope: get("TESTERA_SCOPE"),
            keep_going: flag("TESTERA_KEEP_GOING"),
            workers,
            shard,
            timeout,
            report: get(REPORT).map(PathBuf::from),
            progress: flag("TESTERA_PROGRESS"),
            fresh: flag("TESTERA_FRESH"),
            explain: flag("TESTERA_EXPLAIN"),
        })
    }

    /// The contract with what the options change of it.
    pub fn apply(&self, mut contract: Contract) -> Contract {
        if let Some(scope) = &self.scope {
            contract.scope = Some(scope.clone());
        }
        contract.keep_going |= self.keep_going;
        contract
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(set: &[(&str, &str)]) -> Result<Options, String> {
        Options::from(|name| set.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned()))
    }

    #[test]
    fn variables_are_read_and_mistakes_named() {
        let all = options(&[("TESTERA_SHARD", "2/3"), ("TESTERA_WORKERS", "4"), ("TESTERA_TIMEOUT", "0.5")]);
        let all = all.unwrap();
        assert_eq!((all.shard, all.workers), (Some((2, 3)), 4));
        assert_eq!(all.timeout, Some(Duration::from_millis(500)));
        for (name, value) in [("TESTERA_SHARD", "0/3"), ("TESTERA_SHARD", "4/3"), ("TESTERA_WORKERS", "no")] {
            assert!(options(&[(name, value)]).unwrap_err().contains(name));
        }
    }
}
