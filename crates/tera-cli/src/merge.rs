//! `tera merge`: joins the results of shards, and proves that they are of one run and none is missing.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;

use crate::checksum::Checksum;
use crate::console::{Out, plural, say};
use crate::exit::{Exit, Stop};
use crate::header::same_run;

#[derive(Args, Debug)]
pub struct MergeArgs {
    /// JSON lines of `tera gen --format json --shard I/N`, with or without `--count`; all N parts
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Only the summary
    #[arg(long)]
    pub count: bool,
}

/// What is known of one part without its instances.
struct Part {
    path: PathBuf,
    header: Value,
    shard: (u32, u32),
    summary: Value,
}

pub fn run(args: MergeArgs) -> Result<Exit, Stop> {
    let mut parts = args.files.iter().map(|p| scan(p)).collect::<Result<Vec<Part>, Stop>>()?;
    parts.sort_by_key(|p| p.shard.0);
    prove_complete(&parts)?;

    let mut out = Out::new();
    let mut header = parts[0].header.clone();
    header.as_object_mut().map(|h| h.shift_remove("shard"));
    out.json(&header)?;
    let mut index = 0u64;
    for part in &parts {
        if args.count {
            index += part.summary["count"].as_u64().unwrap_or(0);
        } else {
            // The file is read a second time, and may not be what it was.
            part.prove(&copy_instances(&mut out, &part.path, &mut index)?)?;
        }
    }
    let verdicts: Vec<&str> = parts.iter().filter_map(|p| p.summary["verdict"].as_str()).collect();
    let verdict = verdicts.iter().find(|v| **v != "exhausted").copied().unwrap_or("exhausted");
    out.json(&serde_json::json!({
        "type": "summary", "count": index, "verdict": verdict, "scope": parts[0].summary["scope"],
    }))?;
    out.flush()?;
    say(&format!(
        "{} from {}, {}",
        plural(index, "instance", "instances"),
        plural(parts.len() as u64, "part", "parts"),
        if verdict == "exhausted" { "all there are".into() } else { format!("not all: {verdict}") }
    ));
    Ok(match verdict {
        "exhausted" | "limit" => Exit::Expected,
        _ => Exit::Undecided,
    })
}

fn lines(path: &Path) -> Result<impl Iterator<Item = Result<String, Stop>>, Stop> {
    let name = path.display().to_string();
    let file = std::fs::File::open(path).map_err(|e| Stop::message(format!("cannot read {name}: {e}")))?;
    let lines = std::io::BufReader::with_capacity(1 << 16, file).lines();
    Ok(lines.map(move |l| l.map_err(|e| Stop::message(format!("cannot read {name}: {e}")))))
}

/// Reads the header and the summary, and looks at every line in between.
fn scan(path: &Path) -> Result<Part, Stop> {
    let name = path.display();
    let (mut header, mut summary) = (None, None);
    let mut found = Instances::default();
    for (i, line) in lines(path)?.enumerate() {
        let line = line?;
        if line.starts_with(INSTANCE) {
            found.take(&line);
        } else if !line.is_empty() {
            let value: Value = serde_json::from_str(&line).map_err(|_| {
                Stop::message(format!(
                    "{name}, line {}: this is no JSON line; merge joins what `tera gen --format json --shard I/N` \
                     wrote",
                    i + 1
                ))
            })?;
            match value["type"].as_str() {
                Some("header") => header = Some(value),
                Some("summary") => summary = Some(value),
                _ => {}
            }
        }
    }
    let header = header.ok_or_else(|| {
        Stop::message(format!(
            "{name} has no header line; merge joins what `tera gen --format json --shard I/N` wrote"
        ))
    })?;
    let summary = summary.ok_or_else(|| {
        Stop::message(format!("{name} has no summary: the run was cut off; run this part again"))
    })?;
    let shard = header["shard"].as_str().map(crate::args::parse_shard);
    let Some(Ok(shard)) = shard else {
        return Err(Stop::message(format!("{name} is not one of several parts (it has no `shard`)")));
    };
    if let Some(option) = ["sample", "far"].iter().find(|key| header.get(**key).is_some()) {
        return Err(Stop::message(format!(
            "{name} holds a choice (--{option}), not all instances of its part; run it without --{option}"
        )));
    }
    let part = Part { path: path.to_path_buf(), header, shard, summary };
    if found.count > 0 {
        part.prove(&found)?;
    }
    Ok(part)
}

const INSTANCE: &str = "{\"type\":\"instance\",\"index\":";

/// What was seen of the instances of a part.
#[derive(Default)]
struct Instances {
    count: u64,
    checksum: Checksum,
}

impl Instances {
    fn take(&mut self, line: &str) {
        self.count += 1;
        self.checksum.line(line.as_bytes());
    }
}

impl Part {
    /// The instances must be those that the summary tells of.
    fn prove(&self, found: &Instances) -> Result<(), Stop> {
        let (name, told) = (self.path.display(), self.summary["count"].as_u64().unwrap_or(0));
        if told != found.count {
            return Err(Stop::message(format!(
                "{name}: the summary tells of {told} instances, but there are {}{}",
                found.count,
                if found.count == 0 {
                    " (merge with --count, or generate without it)"
                } else {
                    "; run this part again"
                }
            )));
        }
        if found.count > 0 && self.summary["checksum"] != found.checksum.text() {
            return Err(Stop::message(format!(
                "{name}: its instances are not those that were written (the checksum differs); run this part again"
            )));
        }
        Ok(())
    }
}

fn prove_complete(parts: &[Part]) -> Result<(), Stop> {
    let first = &parts[0];
    let n = first.shard.1;
    for part in &parts[1..] {
        let two = format!("{} and {}", first.path.display(), part.path.display());
        if part.shard.1 != n {
            return Err(Stop::message(format!("{two} are parts of {n} and of {}", part.shard.1)));
        }
        same_run(&first.header, &part.header)
            .map_err(|why| Stop::message(format!("{two} do not belong together: {why}")))?;
    }
    for pair in parts.windows(2) {
        if pair[0].shard == pair[1].shard {
            return Err(Stop::message(format!(
                "{} and {} are both part {} of {n}",
                pair[0].path.display(),
                pair[1].path.display(),
                pair[0].shard.0
            )));
        }
    }
    let missing: Vec<String> =
        (1..=n).filter(|i| parts.iter().all(|p| p.shard.0 != *i)).map(|i| format!("{i}/{n}")).collect();
    match missing.len() {
        0 => Ok(()),
        1..=20 => Err(Stop::message(format!("parts are missing: {}", missing.join(", ")))),
        many => Err(Stop::message(format!("{many} of {n} parts are missing, the first is {}", missing[0]))),
    }
}

/// Copies the instances of a part, numbered on.
fn copy_instances(out: &mut Out, path: &Path, index: &mut u64) -> Result<Instances, Stop> {
    let mut found = Instances::default();
    for line in lines(path)? {
        let line = line?;
        if let Some(rest) = line.strip_prefix(INSTANCE) {
            let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            found.take(&line);
            out.text(INSTANCE)?;
            out.text(&index.to_string())?;
            out.line(rest)?;
            *index += 1;
        }
    }
    Ok(found)
}
