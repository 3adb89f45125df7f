//! The worker's side: makes runs in slices of time, and the words in which orders and answers travel.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Cursor, Explored, Order, Step};
use crate::contract::Contract;
use crate::guard::{Executor, Note, Phase, Watched};
use crate::outcome::Failure;
use crate::prepare::Mistake;

/// How long the worker goes on before it answers.
const SLICE: Duration = Duration::from_millis(100);

/// What a worker answers to an order.
#[derive(Debug)]
pub struct Slice {
    /// Runs behind us, those that were skipped included.
    pub runs: u64,
    /// The run that failed, the last of them.
    pub failure: Option<(Failure, Vec<u64>)>,
    /// There are no more runs; whether these were all.
    pub done: Option<bool>,
    pub effort: String,
}

/// Follows orders; goes on with the same search as long as they are about it.
pub struct Runs<'a> {
    contract: &'a Contract,
    explored: &'a dyn Explored,
    present: Option<Present<'a>>,
}

struct Present<'a> {
    order: Order,
    runs: u64,
    cursor: Box<dyn Cursor + 'a>,
}

impl<'a> Runs<'a> {
    pub fn new(contract: &'a Contract, explored: &'a dyn Explored) -> Result<Runs<'a>, Mistake> {
        Ok(Runs { contract, explored, present: None })
    }

    fn follow(&mut self, order: Order) -> Result<Value, Mistake> {
        let watched = Watched::here();
        if let Some(path) = &order.path {
            let (failure, mut detail) = self.explored.detail(self.contract, path, watched)?;
            detail["failure"] = json!(failure.as_ref().map(Failure::to_json));
            return Ok(detail);
        }
        let most = order.most;
        let goes_on = |present: &&mut Present<'a>| {
            present.runs == order.skip
                && Order { skip: 0, most: None, ..present.order.clone() }
                    == Order { skip: 0, most: None, ..order.clone() }
        };
        watched.behind(order.skip);
        if self.present.as_mut().filter(goes_on).is_none() {
            let cursor = self.explored.start(self.contract, &order, watched)?;
            self.present = Some(Present { runs: order.skip, cursor, order });
        }
        let present = self.present.as_mut().expect("just made");
        let begun = Instant::now();
        let mut slice = Slice { runs: 0, failure: None, done: None, effort: String::new() };
        while begun.elapsed() < SLICE && most.is_none_or(|most| present.runs < most) {
            watched.behind(present.runs);
            match present.cursor.step() {
                Step::Passed => present.runs += 1,
                Step::Failed(failure, path) => {
                    present.runs += 1;
                    slice.failure = Some((failure, path));
                    break;
                }
                Step::Done { exhausted } => {
                    slice.done = Some(exhausted);
                    break;
                }
            }
        }
        slice.runs = present.runs;
        slice.effort = present.cursor.effort();
        if slice.done.is_some() {
            self.present = None;
        }
        Ok(slice.to_json())
    }
}

impl Executor for Runs<'_> {
    fn run(&mut self, input: &[u64], _detail: bool, note: Note<'_>) -> Option<String> {
        note.phase(Phase::Concretize);
        let answer = match Order::from_words(input) {
            Some(order) => self.follow(order).map_err(|mistake| mistake.0),
            None => Err("an order that cannot be read".into()),
        };
        Some(answer.unwrap_or_else(|message| json!({ "mistake": message })).to_string())
    }
}

impl Slice {
    fn to_json(&self) -> Value {
        json!({
            "runs": self.runs,
            "failure": self.failure.as_ref().map(|(failure, _)| failure.to_json()),
            "path": self.failure.as_ref().map(|(_, path)| path),
            "done": self.done,
            "effort": self.effort,
        })
    }

    pub fn from_json(value: &Value) -> Option<Slice> {
        let failure = match &value["failure"] {
            Value::Null => None,
            failure => Some((Failure::from_json(failure)?, numbers(&value["path"])?)),
        };
        Some(Slice {
            runs: value["runs"].as_u64()?,
            failure,
            done: value["done"].as_bool(),
            effort: value["effort"].as_str()?.to_owned(),
        })
    }
}

impl Order {
    /// As an input of the guard: the length of a text, and the text.
    pub fn to_words(&self) -> Vec<u64> {
        let text = json!({
            "skip": self.skip, "most": self.most, "scope": self.scope, "shorter": self.shorter, "shard": self.shard,
            "fatal": self.fatal, "path": self.path,
        })
        .to_string();
        let word = |bytes: &[u8]| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        };
        std::iter::once(text.len() as u64).chain(text.as_bytes().chunks(8).map(word)).collect()
    }

    pub fn from_words(words: &[u64]) -> Option<Order> {
        let (len, rest) = words.split_first()?;
        let bytes: Vec<u8> = rest.iter().flat_map(|word| word.to_le_bytes()).take(*len as usize).collect();
        let value: Value = serde_json::from_slice(&bytes).ok()?;
        Some(Order {
            skip: value["skip"].as_u64()?,
            most: value["most"].as_u64(),
            scope: value["scope"].as_u64().map(|scope| scope as usize),
            shorter: pair(&value["shorter"]).map(|(depth, runs)| (depth as usize, runs)),
            shard: pair(&value["shard"]).map(|(i, n)| (i as u32, n as u32)),
            fatal: fatal_from_json(&value["fatal"])?,
            path: numbers(&value["path"]),
        })
    }
}

fn pair(value: &Value) -> Option<(u64, u64)> {
    Some((value[0].as_u64()?, value[1].as_u64()?))
}

pub fn fatal_from_json(value: &Value) -> Option<Vec<Vec<(u64, u64)>>> {
    let paths = value.as_array()?.iter();
    paths.map(|path| path.as_array()?.iter().map(pair).collect()).collect()
}

pub fn numbers(value: &Value) -> Option<Vec<u64>> {
    value.as_array()?.iter().map(Value::as_u64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_survives_the_way_through_words() {
        for order in [
            Order::default(),
            Order { skip: 7, most: Some(9), scope: Some(3), shard: Some((2, 3)), ..Order::default() },
            Order { shorter: Some((4, 1000)), fatal: vec![vec![(1, 2), (0, 9)], vec![]], ..Order::default() },
            Order { path: Some(vec![u64::MAX, 0]), ..Order::default() },
        ] {
            assert_eq!(Order::from_words(&order.to_words()), Some(order));
        }
    }
}
