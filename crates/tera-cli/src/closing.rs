//! The last words of a search: how many, whether that is all, of what scope, in what time.

use std::time::Instant;

use tera_finder::{Summary, Verdict};

use crate::console::{duration, plural};
use crate::exit::Exit;

pub fn exit_of(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Exhausted | Verdict::Limit => Exit::Expected,
        Verdict::Timeout | Verdict::Interrupted => Exit::Undecided,
    }
}

/// For `--stats`.
pub fn statistics(summary: &Summary) -> String {
    let s = &summary.statistics;
    format!(
        "strategy: {}\n{} cells, {} variables, {} clauses; {} decisions, {} conflicts, {} propagations, {} \
         learned; {} canonicity checks of {} nodes, {} refutations; {} counted without a visit",
        summary.strategy,
        s.cells,
        s.variables,
        s.clauses,
        s.decisions,
        s.conflicts,
        s.propagations,
        s.learned,
        s.checks,
        s.check_nodes,
        s.refutations,
        s.counted
    )
}

/// How many, whether that is all, of what scope, in what time.
pub fn last_line(
    shard: Option<(u32, u32)>,
    labelled: bool,
    summary: &Summary,
    scope: &str,
    start: Instant,
) -> String {
    let n = summary.count;
    let part = shard.map_or(String::new(), |(i, of)| format!(" in part {i} of {of}"));
    let what = match summary.verdict {
        Verdict::Exhausted if n == 0 => format!("no instance{part}"),
        Verdict::Exhausted => format!("{}{part}, all there are", plural(n, "instance", "instances")),
        Verdict::Limit => format!("{}{part}, stopped at the limit", plural(n, "instance", "instances")),
        Verdict::Timeout => {
            format!("{}{part}, not all: the time is over", plural(n, "instance", "instances"))
        }
        Verdict::Interrupted => {
            format!("{}{part}, not all: interrupted", plural(n, "instance", "instances"))
        }
    };
    let classes = match (labelled, n) {
        (true, _) => "; isomorphic ones included",
        (false, 0 | 1) => "",
        (false, _) => "; none isomorphic to another",
    };
    format!("{what}: {scope}{classes}; {}", duration(start.elapsed()))
}
