//! What a run found, as a value, as JSON and as text.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::outcome::Failure;

/// How a contract fared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// All inputs in the scope pass, and there is at least one.
    Passed,
    /// There is a counterexample.
    Failed,
    /// No input satisfies the precondition.
    NoInputs,
    /// Not all inputs were run, and none failed.
    Undecided,
    /// The contract itself is wrong.
    Mistake,
    /// tera is wrong.
    Internal,
    /// Nothing was to be run.
    Explained,
}

impl Status {
    const ALL: [(Status, &'static str); 7] = [
        (Status::Passed, "passed"),
        (Status::Failed, "failed"),
        (Status::NoInputs, "no inputs"),
        (Status::Undecided, "undecided"),
        (Status::Mistake, "mistake"),
        (Status::Internal, "internal error"),
        (Status::Explained, "explained"),
    ];

    pub fn name(self) -> &'static str {
        Status::ALL.iter().find(|(status, _)| *status == self).expect("listed").1
    }

    fn from_name(name: &str) -> Option<Status> {
        Status::ALL.iter().find(|(_, other)| *other == name).map(|(status, _)| *status)
    }

    /// The exit code of `tera check` for this contract alone.
    pub fn exit_code(self) -> i32 {
        match self {
            Status::Passed | Status::Explained => 0,
            Status::Failed => 1,
            Status::NoInputs | Status::Mistake => 2,
            Status::Undecided => 3,
            Status::Internal => 70,
        }
    }
}

/// Failures that have the same reason, and the smallest of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    pub failure: Failure,
    pub count: u64,
    /// The number of the smallest input, counted from 0.
    pub number: u64,
    /// Its size: how many objects it has.
    pub size: usize,
    /// The formulas that are violated.
    pub violated: Vec<String>,
    /// The formulas that hold nevertheless.
    pub holds: Vec<String>,
    /// Whether the same input failed differently when it was run again.
    pub is_unstable: bool,
    /// What the worker said: see `detail.rs`.
    pub detail: Value,
    /// The picture, if it was written.
    pub picture: Option<String>,
}

impl Group {
    /// One input that failed, with what a worker said of it.
    pub(crate) fn new(failure: Failure, detail: Value) -> Group {
        let texts = |items: &Value, text: fn(&Value) -> &Value| -> Vec<String> {
            let items = items.as_array().into_iter().flatten();
            items.filter_map(|item| text(item).as_str()).map(str::to_owned).collect()
        };
        Group {
            failure,
            count: 1,
            number: 0,
            size: 0,
            violated: texts(&detail["violated"], |item| &item["formula"]),
            holds: texts(&detail["holds"], |item| item),
            is_unstable: false,
            detail,
            picture: None,
        }
    }
}

/// The result of checking one contract.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    pub name: String,
    pub status: Status,
    /// Inputs that were run, those that passed among them.
    pub inputs: u64,
    pub passed: u64,
    /// Instances that are no value of the Rust types, and the first reason.
    pub skipped: u64,
    pub skip_reason: String,
    /// Whether these were all inputs there are in the scope.
    pub exhausted: bool,
    /// How many inputs there are, where that is known.
    pub total: Option<u64>,
    /// The scope actually used.
    pub scope: String,
    /// By the number of their smallest input.
    pub groups: Vec<Group>,
    pub warnings: Vec<String>,
    /// Mistakes and internal errors.
    pub message: String,
    pub seconds: f64,
    /// Whether memory was guarded.
    pub is_guarded: bool,
    /// One call on values that were given, not a run over all inputs.
    pub is_replay: bool,
}

impl Report {
    pub(crate) fn new(name: &str) -> Report {
        Report {
            name: name.to_owned(),
            status: Status::Undecided,
            inputs: 0,
            passed: 0,
            skipped: 0,
            skip_reason: String::new(),
            exhausted: false,
            total: None,
            scope: String::new(),
            groups: Vec::new(),
            warnings: Vec::new(),
            message: String::new(),
            seconds: 0.0,
            is_guarded: false,
            is_replay: false,
        }
    }

    pub(crate) fn mistake(name: &str, message: String) -> Report {
        Report { status: Status::Mistake, message, ..Report::new(name) }
    }

    /// A fault of tera's own.
    pub fn internal(name: &str, message: String) -> Report {
        Report { status: Status::Internal, message, ..Report::new(name) }
    }

    /// Nothing was run: `text` says what would be.
    pub(crate) fn explained(name: &str, text: String) -> Report {
        Report { status: Status::Explained, message: text, ..Report::new(name) }
    }

    pub fn is_ok(&self) -> bool {
        matches!(self.status, Status::Passed | Status::Explained)
    }

    pub fn failed(&self) -> u64 {
        self.groups.iter().map(|group| group.count).sum()
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut out = String::new();
        match self.status {
            Status::Mistake | Status::Explained => {
                let _ = writeln!(out, "{}", self.message.trim_end());
            }
            Status::Internal => {
                let _ = writeln!(out, "internal error of tera: {}", self.message.trim_end());
            }
            Status::NoInputs => {
                let _ = writeln!(
                    out,
                    "vacuous: no input satisfies the precondition in this scope ({}), so nothing was tested",
                    self.scope
                );
            }
            Status::Passed | Status::Undecided => {
                let _ = writeln!(out, "{}: {}", self.name, self.summary());
            }
            Status::Failed => {
                for (i, group) in self.groups.iter().enumerate() {
                    if i > 0 {
                        out.push('\n');
                    }
                    self.write_group(&mut out, group);
                }
                if self.groups.len() > 1 || self.failed() > 1 {
                    let _ = writeln!(out, "\n{}: {}", self.name, self.summary());
                }
            }
        }
        for warning in &self.warnings {
            let _ = writeln!(out, "warning: {warning}");
        }
        out
    }

    /// `9,331 inputs, all there are: …; 0.03 s`
    pub fn summary(&self) -> String {
        let mut text = format!("{} inputs", thousands(self.inputs));
        let failed = self.failed();
        if failed > 0 {
            let _ = write!(text, ", {} pass, {} fail", thousands(self.passed), thousands(failed));
        }
        text += if self.exhausted { ", all there are" } else { ", not all there are" };
        if !self.scope.is_empty() {
            let _ = write!(text, " in scope {}", self.scope);
        }
        if self.skipped > 0 {
            let _ = write!(
                text,
                "; {} instances are no value of the Rust types ({})",
                thousands(self.skipped),
                self.skip_reason
            );
        }
        let _ = write!(text, "; {:.2} s", self.seconds);
        text
    }

    /// ` by input 8 of 9,331 (smaller ones pass)`
    fn by_input(&self, group: &Group) -> String {
        if self.is_replay {
            return String::new();
        }
        let by = match &group.failure {
            Failure::Violated(_) => " by",
            _ => ":",
        };
        let of = self.total.map_or(String::new(), |total| format!(" of {}", thousands(total)));
        let smaller = if group.number > 0 && self.groups.len() == 1 { " (smaller ones pass)" } else { "" };
        format!("{by} input {}{of}{smaller}", thousands(group.number))
    }

    fn write_group(&self, out: &mut String, group: &Group) {
        let by_input = self.by_input(group);
        let _ = writeln!(out, "{}{by_input}", group.failure.headline());
        let explanation = group.failure.explanation();
        if !explanation.is_empty() {
            let _ = writeln!(out, "\n    {}", indent(&explanation, "    "));
        }
        if group.count > 1 {
            let _ =
                writeln!(out, "    {} inputs fail in this way; this is the smallest", thousands(group.count));
        }
        out.push('\n');
        for key in ["before", "after"] {
            if let Some(text) = group.detail[key].as_str() {
                let _ = writeln!(out, "    {key:<9}{}", indent(text, "             "));
            }
        }
        for item in group.detail["violated"].as_array().into_iter().flatten() {
            let text = item["text"].as_str().or(item["formula"].as_str()).unwrap_or_default();
            let _ = write!(out, "\n{}", text.trim_end());
            out.push('\n');
        }
        if !group.holds.is_empty() {
            let _ = writeln!(
                out,
                "    = {} hold{}",
                group.holds.join(", "),
                if group.holds.len() == 1 { "s" } else { "" }
            );
        }
        if group.is_unstable {
            let _ = writeln!(
                out,
                "    = run again, the same input did something else: the subject is not deterministic \
                 (or corrupts memory that later inputs use)"
            );
        }
        if let Some(picture) = &group.picture {
            let replay = if self.is_replay { "" } else { "     replay: automatic, first in the next run" };
            let _ = writeln!(out, "    = picture: {picture}{replay}");
        }
        if let Some(code) = group.detail["code"].as_str().filter(|code| !code.is_empty()) {
            let _ = writeln!(out, "    = as a test of its own:");
            let _ = writeln!(out, "        {}", indent(code, "        "));
        }
        if !self.is_guarded && matches!(group.failure, Failure::Died { .. }) {
            let _ = writeln!(
                out,
                "    = memory checks were off; `testera::guard_memory!();` in the test module turns them on"
            );
        }
    }

    pub fn to_json(&self) -> Value {
        let groups: Vec<Value> = (self.groups.iter())
            .map(|group| {
                json!({
                    "failure": group.failure.to_json(),
                    "count": group.count,
                    "number": group.number,
                    "size": group.size,
                    "violated": group.violated,
                    "holds": group.holds,
                    "unstable": group.is_unstable,
                    "picture": group.picture,
                    "detail": group.detail,
                })
            })
            .collect();
        json!({
            "version": VERSION,
            "name": self.name,
            "status": self.status.name(),
            "inputs": self.inputs,
            "passed": self.passed,
            "skipped": self.skipped,
            "skip_reason": self.skip_reason,
            "exhausted": self.exhausted,
            "total": self.total,
            "scope": self.scope,
            "groups": groups,
            "warnings": self.warnings,
            "message": self.message,
            "seconds": self.seconds,
            "guarded": self.is_guarded,
        })
    }

    pub fn from_json(value: &Value) -> Option<Report> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let texts = |value: &Value| value.as_array().into_iter().flatten().map(text).collect();
        let number = |value: &Value| value.as_u64().unwrap_or_default();
        let groups = (value["groups"].as_array()?.iter())
            .map(|group| {
                Some(Group {
                    failure: Failure::from_json(&group["failure"])?,
                    count: number(&group["count"]),
                    number: number(&group["number"]),
                    size: number(&group["size"]) as usize,
                    violated: texts(&group["violated"]),
                    holds: texts(&group["holds"]),
                    is_unstable: group["unstable"].as_bool()?,
                    picture: group["picture"].as_str().map(str::to_owned),
                    detail: group["detail"].clone(),
                })
            })
            .collect::<Option<Vec<Group>>>()?;
        Some(Report {
            name: text(&value["name"]),
            status: Status::from_name(value["status"].as_str()?)?,
            inputs: number(&value["inputs"]),
            passed: number(&value["passed"]),
            skipped: number(&value["skipped"]),
            skip_reason: text(&value["skip_reason"]),
            exhausted: value["exhausted"].as_bool()?,
            total: value["total"].as_u64(),
            scope: text(&value["scope"]),
            groups,
            warnings: texts(&value["warnings"]),
            message: text(&value["message"]),
            seconds: value["seconds"].as_f64().unwrap_or_default(),
            is_guarded: value["guarded"].as_bool().unwrap_or_default(),
            is_replay: false,
        })
    }
}

/// Of the JSON format.
const VERSION: u32 = 1;

/// `9331` as `9,331`.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn indent(text: &str, pad: &str) -> String {
    text.trim_end().replace('\n', &format!("\n{pad}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(thousands(n), text);
        }
    }

    #[test]
    fn a_report_survives_the_way_through_json() {
        let mut report = Report::new("list::sort");
        report.status = Status::Failed;
        report.total = Some(9331);
        report.groups.push(Group {
            failure: Failure::Violated(vec![1]),
            count: 3,
            number: 8,
            size: 3,
            violated: vec!["sorted[list]".into()],
            holds: vec!["permutation[list]".into()],
            is_unstable: false,
            detail: json!({ "before": "list → 0 → 1" }),
            picture: None,
        });
        assert_eq!(Report::from_json(&report.to_json()), Some(report));
    }
}
