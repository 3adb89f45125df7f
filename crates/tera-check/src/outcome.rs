//! What became of one input, as lines of JSON between worker and parent and as values elsewhere.

use serde_json::{Value, json};

use crate::guard::{Death, Phase};

/// Why an input did not pass.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// Conjuncts of the postcondition that do not hold, by number.
    Violated(Vec<usize>),
    Panic {
        message: String,
        location: String,
    },
    /// It should have panicked and did not.
    NoPanic,
    /// What the memory guard or the abstraction found; one sentence each.
    Memory(Vec<String>),
    /// The values after the call are no instance of the specification.
    NoInstance(String),
    Died {
        death: Death,
        /// What went on: `call`, `drop`, …
        phase: Phase,
    },
    /// No fault of the subject: the instance is no value of the Rust types.
    Skipped(String),
}

impl Failure {
    /// What failures have in common that are shown as one group. Numbers in messages do not
    /// matter.
    pub fn group(&self) -> String {
        let plain = |text: &str| -> String {
            text.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect()
        };
        match self {
            Failure::Violated(conjuncts) => format!("violated {conjuncts:?}"),
            Failure::Panic { location, .. } => format!("panic at {location}"),
            Failure::NoPanic => "no panic".into(),
            Failure::Memory(faults) => format!("memory: {}", plain(&faults.join("; "))),
            Failure::NoInstance(message) => format!("no instance: {}", plain(message)),
            Failure::Died { death, phase } => format!("{} in {phase:?}", death.kind()),
            Failure::Skipped(message) => format!("skipped: {}", plain(message)),
        }
    }

    pub fn to_json(&self) -> Value {
        match self {
            Failure::Violated(conjuncts) => json!({ "kind": "violated", "conjuncts": conjuncts }),
            Failure::Panic { message, location } => {
                json!({ "kind": "panic", "message": message, "location": location })
            }
            Failure::NoPanic => json!({ "kind": "no panic" }),
            Failure::Memory(faults) => json!({ "kind": "memory", "faults": faults }),
            Failure::NoInstance(message) => json!({ "kind": "no instance", "message": message }),
            Failure::Skipped(message) => json!({ "kind": "skipped", "message": message }),
            Failure::Died { death, phase } => {
                let mut value = json!({ "kind": death.kind(), "phase": *phase as u32 });
                match death {
                    Death::Hang { seconds } => value["seconds"] = json!(seconds),
                    Death::Abort { message } => value["message"] = json!(message),
                    Death::Segfault { address } => value["address"] = json!(address),
                    Death::OutOfMemory { bytes } => value["bytes"] = json!(bytes),
                    Death::Exit { code } => value["code"] = json!(code),
                    Death::Signal { number } => value["number"] = json!(number),
                    Death::StackOverflow => {}
                }
                value
            }
        }
    }

    pub fn from_json(value: &Value) -> Option<Failure> {
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let number = |key: &str| value[key].as_i64().unwrap_or_default();
        let death = match value["kind"].as_str()? {
            "violated" => {
                let numbers = value["conjuncts"].as_array()?.iter();
                return Some(Failure::Violated(numbers.filter_map(|n| Some(n.as_u64()? as usize)).collect()));
            }
            "panic" => {
                return Some(Failure::Panic { message: text("message"), location: text("location") });
            }
            "no panic" => return Some(Failure::NoPanic),
            "memory" => {
                let faults = value["faults"].as_array()?.iter();
                return Some(Failure::Memory(faults.filter_map(|f| Some(f.as_str()?.to_owned())).collect()));
            }
            "no instance" => return Some(Failure::NoInstance(text("message"))),
            "skipped" => return Some(Failure::Skipped(text("message"))),
            "hang" => Death::Hang { seconds: value["seconds"].as_f64().unwrap_or_default() },
            "abort" => Death::Abort { message: text("message") },
            "stack overflow" => Death::StackOverflow,
            "segmentation fault" => {
                Death::Segfault { address: value["address"].as_u64().unwrap_or_default() }
            }
            "out of memory" => Death::OutOfMemory { bytes: value["bytes"].as_u64() },
            "exit" => Death::Exit { code: number("code") as i32 },
            "signal" => Death::Signal { number: number("number") as i32 },
            _ => return None,
        };
        Some(Failure::Died { death, phase: Phase::from_u32(number("phase") as u32) })
    }

    /// One line for people, without the conjuncts.
    pub fn headline(&self) -> String {
        match self {
            Failure::Violated(_) => "postcondition violated".into(),
            Failure::Panic { .. } => "panic".into(),
            Failure::NoPanic => "no panic where one is specified".into(),
            Failure::Memory(_) => "memory fault".into(),
            Failure::NoInstance(_) => "no instance of the specification after the call".into(),
            Failure::Skipped(_) => "no value of the Rust types".into(),
            Failure::Died { death, phase: Phase::Drop } => format!("{} while dropping", death.kind()),
            Failure::Died { death, phase: Phase::Abstract } => {
                format!("{} while reading the values after the call", death.kind())
            }
            Failure::Died { death, phase: Phase::Require } => format!("{} in the precondition", death.kind()),
            Failure::Died { death, .. } => death.kind().into(),
        }
    }

    /// What more there is to say, or nothing.
    pub fn explanation(&self) -> String {
        match self {
            Failure::Panic { message, location } => format!("{message} ({location})"),
            Failure::Memory(faults) => faults.join("; "),
            Failure::NoInstance(message) | Failure::Skipped(message) => message.clone(),
            Failure::Died { death, .. } => death.to_string(),
            Failure::Violated(_) | Failure::NoPanic => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_survives_the_way_through_json() {
        let deaths = [
            Death::Hang { seconds: 0.5 },
            Death::Abort { message: "a \"b\"".into() },
            Death::StackOverflow,
            Death::Segfault { address: 77 },
            Death::OutOfMemory { bytes: Some(5) },
            Death::OutOfMemory { bytes: None },
            Death::Exit { code: -1 },
            Death::Signal { number: 4 },
        ];
        let died = deaths.map(|death| Failure::Died { death, phase: Phase::Call });
        let others = [
            Failure::Violated(vec![0, 3]),
            Failure::Panic { message: "m".into(), location: "src/a.rs:1:2".into() },
            Failure::NoPanic,
            Failure::Memory(vec!["x.y points to a freed block".into()]),
            Failure::NoInstance("n".into()),
            Failure::Skipped("s".into()),
        ];
        for failure in died.into_iter().chain(others) {
            let line = failure.to_json().to_string();
            assert_eq!(Failure::from_json(&serde_json::from_str(&line).unwrap()), Some(failure));
        }
    }
}
