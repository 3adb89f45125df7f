//! `tera gen`: every instance of a specification, one of each isomorphism class.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use serde_json::Value;
use tera_finder::{EnumerateOptions, Found, Summary, Symmetry};
use tera_model::{LowerOptions, Lowered, Target as ModelTarget};
use tera_rel::Instance;
use tera_syntax::{FileId, Span, ast::CommandKind};

use crate::args::{SpecArgs, deadline, parse_seconds, parse_shard};
use crate::certify;
use crate::checksum::Checksum;
use crate::choose::{FAR_POOL, Pool, Sample, Selection, far_size};
use crate::closing::{exit_of, last_line, statistics};
use crate::console::{Out, Progress, duration, interrupt_flag, plural, say};
use crate::deliver::{Context, Directory, Format, Formatter, Target};
use crate::diagnostics::{Style, unknown_name};
use crate::exit::{Exit, Stop};
use crate::front::{Front, shown_path};
use crate::growth;
use crate::header;
use crate::verify::Verifier;

/// What is generated: the facts, and the predicate of `--pred` or else the body of the file's first
/// `run` command. `--scope` replaces that command's scope.
#[derive(Args, Debug)]
pub struct GenArgs {
    #[command(flatten)]
    pub spec: SpecArgs,
    /// Scope, as behind `for` in a command: `3`, `"3 but exactly 2 A, 0..5 Int"`; `1..6` tells the growth
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<String>,
    /// Generate instances of this predicate or function, its parameters included
    #[arg(long, value_name = "NAME")]
    pub pred: Option<String>,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Count the instances without showing them
    #[arg(long, conflicts_with_all = ["output", "verify"])]
    pub count: bool,
    /// Stop after N instances
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// Only part I of N; the parts are disjoint and together everything
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub shard: Option<(u32, u32)>,
    /// Threads to search with; the results are the same with any number
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: usize,
    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub timeout: Option<f64>,
    /// Judge every instance by an evaluator that shares no code with the search
    #[arg(long)]
    pub verify: bool,
    /// Say of each instance how many labelled instances are isomorphic to it
    #[arg(long)]
    pub orbits: bool,
    /// All labelled instances, isomorphic ones included
    #[arg(long, conflicts_with = "orbits")]
    pub labelled: bool,
    /// Only what the parameters of the predicate reach: no object beside them
    #[arg(long)]
    pub rooted: bool,
    /// Count all labelled instances independently, and compare with the sum of the orbits; writes a
    /// receipt to FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["limit", "shard", "labelled", "output", "verify", "orbits"])]
    pub certify: Option<PathBuf>,
    /// Show N instances drawn at random, each class equally likely
    #[arg(long, value_name = "N", conflicts_with_all = ["count", "limit", "orbits", "certify"])]
    pub sample: Option<u32>,
    /// The seed of --sample; the same seed draws the same instances
    #[arg(long, value_name = "S", default_value_t = 0, requires = "sample")]
    pub seed: u64,
    /// Show instances that differ much from each other, --limit of them (10)
    #[arg(long, conflicts_with_all = ["count", "sample", "orbits", "certify"])]
    pub far: bool,
    /// With a range of scopes, search only for instances that the scope before did not have
    #[arg(long)]
    pub only_new: bool,
    /// One file per instance in DIR, and summary.json
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Go on with an interrupted run in the same DIR
    #[arg(long, requires = "output")]
    pub resume: bool,
    /// Do not draw this signature or field (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub hide: Vec<String>,
    /// Draw one graph per atom of this signature (may be repeated)
    #[arg(long, value_name = "SIG")]
    pub project: Vec<String>,
    /// Say how the search went
    #[arg(long)]
    pub stats: bool,
}

/// The model that `gen` looks at, by name.
pub struct Subject {
    pub target: ModelTarget,
    pub name: String,
    /// Where it stands, for messages about all of it.
    pub span: Span,
    /// Whether a scope is given or must be made up.
    has_scope: bool,
    /// Only what the parameters reach.
    pub rooted: bool,
}

pub fn subject(front: &Front, pred: Option<&str>) -> Subject {
    let nowhere = Span::new(FileId(0), 0, 0);
    if let Some(name) = pred {
        let target = ModelTarget::Predicate(name.to_string());
        return Subject {
            target,
            name: format!("pred {name}"),
            span: nowhere,
            has_scope: false,
            rooted: false,
        };
    }
    let first = front.spec.commands.iter().position(|c| c.kind == CommandKind::Run);
    match first {
        Some(i) => {
            let command = &front.spec.commands[i];
            let has_scope = !command.scope.is_empty();
            let name = format!("run {}", command.label);
            Subject { target: ModelTarget::Command(i), name, span: command.span, has_scope, rooted: false }
        }
        None => Subject {
            target: ModelTarget::Facts,
            name: "facts".into(),
            span: nowhere,
            has_scope: false,
            rooted: false,
        },
    }
}

/// The scope that `gen` takes when nobody gives one.
const DEFAULT_SCOPE: &str = "3";

impl Subject {
    pub fn lower(&self, out: &mut Out, front: &Front, scope: Option<&str>) -> Result<Lowered, Stop> {
        self.lower_as(out, front, scope, false)
    }

    /// The same problem with all its labelled instances: no atom is fixed by a bound.
    pub fn lower_unfixed(&self, out: &mut Out, front: &Front, scope: Option<&str>) -> Result<Lowered, Stop> {
        self.lower_as(out, front, scope, true)
    }

    fn lower_as(
        &self,
        out: &mut Out,
        front: &Front,
        scope: Option<&str>,
        unfixed: bool,
    ) -> Result<Lowered, Stop> {
        let scope = match scope {
            None if !self.has_scope => Some(DEFAULT_SCOPE),
            other => other,
        };
        let options = LowerOptions {
            overflow: front.overflow(),
            scope: scope.map(str::to_string),
            korat_ints: scope.is_some(),
            growth: 0,
            rooted: self.rooted,
            unfixed,
        };
        front.lower(out, &self.target, &options)
    }
}

pub fn run(args: GenArgs) -> Result<Exit, Stop> {
    let start = Instant::now();
    let mut out = Out::new();
    let style = if args.format == Format::Json { Style::Json } else { Style::Drawn };
    let front = Front::load(&mut out, &args.spec, style)?;
    let subject = Subject { rooted: args.rooted, ..subject(&front, args.pred.as_deref()) };
    let exit = match args.scope.as_deref().and_then(growth::range) {
        Some(range) => growth::run(&mut out, &args, &front, &subject, range)?,
        None => {
            if args.only_new {
                return Err(Stop::message("--only-new wants a range of scopes, e.g. --scope 1..6"));
            }
            let lowered = subject.lower(&mut out, &front, args.scope.as_deref())?;
            if args.rooted && lowered.schema.params.is_empty() {
                return Err(Stop::message(format!(
                    "--rooted shows what the parameters of a predicate reach, and `{}` has none: \
                     name one that has, with --pred",
                    subject.name
                )));
            }
            generate(&mut out, &args, &front, &subject, &lowered, start)?
        }
    };
    out.flush()?;
    Ok(exit)
}

pub fn enumerate_options(args: &GenArgs) -> EnumerateOptions {
    EnumerateOptions {
        symmetry: if args.labelled { Symmetry::None } else { Symmetry::Exact },
        limit: args.limit,
        deadline: deadline(args.timeout),
        interrupt: Some(interrupt_flag()),
        threads: args.threads.max(1),
        shard: args.shard,
        want_group: args.orbits || args.certify.is_some(),
        ..EnumerateOptions::default()
    }
}

fn generate(
    out: &mut Out,
    args: &GenArgs,
    front: &Front,
    subject: &Subject,
    lowered: &Lowered,
    start: Instant,
) -> Result<Exit, Stop> {
    let graph = tera_view::GraphOptions { hide: args.hide.clone(), project: args.project.clone() };
    graph.check(&lowered.schema).map_err(|name| unknown_name(out, front.style, &name))?;
    let options = enumerate_options(args);
    if let Some(receipt) = &args.certify {
        return certify::run(out, args, front, subject, lowered, options, receipt);
    }
    if !args.count {
        return deliver_all(out, args, front, subject, lowered, options, graph, start);
    }
    let found = tera_finder::count(&lowered.problem, &options);
    let Some(summary) = checked(out, front, subject, lowered, found)? else { return Ok(Exit::Mistake) };
    if args.format == Format::Json {
        out.json(&header_of(args, front, subject, lowered))?;
    }
    let nothing = Delivered { target: Target::Stream, selection: Selection::All, checksum: None };
    finish(out, args, lowered, &summary, &nothing, start)
}

/// The header of the results of this run.
pub fn header_of(args: &GenArgs, front: &Front, subject: &Subject, lowered: &Lowered) -> Value {
    let mut settings = vec![
        ("overflow", Value::from(format!("{:?}", front.overflow()).to_lowercase())),
        ("classes", Value::from(!args.labelled)),
    ];
    if args.rooted {
        settings.push(("rooted", true.into()));
    }
    if args.orbits {
        settings.push(("orbits", true.into()));
    }
    if let Some(size) = args.sample {
        settings.push(("sample", size.into()));
        settings.push(("seed", args.seed.into()));
    }
    if args.far {
        settings.push(("far", far_size(args).into()));
    }
    header::header(
        &shown_path(&args.spec.file),
        &front.spec_hash(),
        &subject.name,
        lowered,
        &settings,
        args.shard,
    )
}

/// The summary, or `None` after the finder's error was shown.
pub fn checked(
    out: &mut Out,
    front: &Front,
    subject: &Subject,
    lowered: &Lowered,
    found: Result<Summary, tera_finder::FinderError>,
) -> Result<Option<Summary>, Stop> {
    match found {
        Ok(summary) => Ok(Some(summary)),
        Err(error) => {
            front.finder_error(out, lowered, subject.span, &error)?;
            Ok(None)
        }
    }
}

#[allow(clippy::too_many_arguments)] // everything one run of `gen` consists of
fn deliver_all(
    out: &mut Out,
    args: &GenArgs,
    front: &Front,
    subject: &Subject,
    lowered: &Lowered,
    options: EnumerateOptions,
    graph: tera_view::GraphOptions,
    start: Instant,
) -> Result<Exit, Stop> {
    let file = shown_path(&args.spec.file);
    let sources = || front.spec.sources.iter().map(|s| (s.path.clone(), s.text.clone())).collect();
    let xml = tera_view::XmlInfo {
        command: format!("{} for {}", subject.name, lowered.scope),
        file: file.clone(),
        sources: if args.format == Format::Xml { sources() } else { Vec::new() },
    };
    let mut formatter = Formatter::new(args.format, lowered, Context { xml, graph, command: None });
    let header = (args.format == Format::Json || args.output.is_some())
        .then(|| header_of(args, front, subject, lowered));
    let mut options = options;
    if args.far {
        options.limit = Some(FAR_POOL);
    }
    let mut target = match (&args.output, &header) {
        (Some(path), Some(header)) => {
            let directory = match Directory::resumed(path, args.format, header, args.resume)? {
                Some(directory) => directory,
                None => {
                    // The names have as many digits as the last number; counting is cheaper than writing.
                    let total = tera_finder::count(&lowered.problem, &options);
                    let Some(total) = checked(out, front, subject, lowered, total)? else {
                        return Ok(Exit::Mistake);
                    };
                    Directory::begun(path, args.format, header, total.count.saturating_sub(1))?
                }
            };
            Target::Directory(directory)
        }
        _ => Target::Stream,
    };
    if let (Format::Json, Target::Stream, Some(header)) = (args.format, &target, &header) {
        out.json(header)?;
    }

    let mut scratch = Instance { values: Vec::new() };
    let mut stop: Option<Stop> = None;
    let mut verifier = args.verify.then(|| Verifier::new(lowered));
    let mut progress = Progress::new("instances");
    let mut selection = Selection::new(args);
    // What `merge` will want to know of a part.
    let joins = args.shard.is_some() && args.output.is_none() && args.format == Format::Json;
    let joins = joins && args.sample.is_none() && !args.far;
    let mut checksum = joins.then(Checksum::default);
    let mut deliver = |found: &Found| -> Result<(), Stop> {
        progress.at(found.index);
        match &mut selection {
            Selection::All => {}
            Selection::Sample(sample) => {
                sample.take(found);
                return Ok(());
            }
            Selection::Far(pool) => {
                pool.take(found);
                return Ok(());
            }
        }
        let mut extra = String::new();
        let mut label = String::new();
        if args.format == Format::Text {
            label = format!("{:>3}", found.index);
        }
        if let Some(order) = found.automorphisms() {
            let orbit = found.orbit_size().expect("the group was asked for");
            extra = format!(",\"automorphisms\":{order},\"orbit\":{orbit}");
            if args.format == Format::Text {
                label += &format!("  ×{orbit}");
            }
        }
        let is_line = args.format == Format::Json && matches!(target, Target::Stream);
        if !is_line || verifier.is_some() {
            if scratch.values.is_empty() {
                scratch = found.instance();
            } else {
                found.decode_into(&mut scratch);
            }
        }
        if let Some(verifier) = &mut verifier {
            verifier.judge(out, found.index, &scratch)?;
        }
        if is_line {
            let line = formatter.json_of_found(found, &extra);
            if let Some(checksum) = &mut checksum {
                checksum.line(line.strip_suffix(b"\n").unwrap_or(line));
            }
            return out.bytes(line);
        }
        target.deliver(out, &mut formatter, found.index, &label, &extra, &scratch)
    };
    let mut sink = |found: &Found| match deliver(found) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            stop = Some(error);
            ControlFlow::Break(())
        }
    };
    let found = tera_finder::enumerate(&lowered.problem, &options, &mut sink);
    progress.finish();
    drop(progress);
    if let Some(stop) = stop {
        return Err(stop);
    }
    let Some(summary) = checked(out, front, subject, lowered, found)? else { return Ok(Exit::Mistake) };
    let chosen = match std::mem::replace(&mut selection, Selection::All) {
        Selection::All => Vec::new(),
        Selection::Sample(sample) => {
            selection = Selection::Sample(Sample::new(0, 0));
            sample.finish()
        }
        Selection::Far(pool) => {
            selection = Selection::Far(Pool::default());
            pool.finish(far_size(args) as usize)
        }
    };
    for (index, instance) in &chosen {
        if let Some(verifier) = &mut verifier {
            verifier.judge(out, *index, instance)?;
        }
        let label = format!("{index:>3}");
        target.deliver(out, &mut formatter, *index, &label, "", instance)?;
    }
    finish(out, args, lowered, &summary, &Delivered { target, selection, checksum }, start)
}

/// Where the instances went, which they were, and what they add up to.
struct Delivered {
    target: Target,
    selection: Selection,
    checksum: Option<Checksum>,
}

/// The last line, and the exit code.
fn finish(
    out: &mut Out,
    args: &GenArgs,
    lowered: &Lowered,
    summary: &Summary,
    delivered: &Delivered,
    start: Instant,
) -> Result<Exit, Stop> {
    let mut json = header::summary(summary.count, summary.verdict, &lowered.scope);
    let chosen = delivered.selection.distribution(args, summary);
    if let Some((shown, distribution)) = &chosen {
        json["shown"] = (*shown).into();
        json["distribution"] = distribution.clone().into();
    }
    if let Some(checksum) = &delivered.checksum {
        json["checksum"] = checksum.text().into();
    }
    let line = || match &chosen {
        None => last_line(args.shard, args.labelled, summary, &lowered.scope, start),
        Some((shown, distribution)) => {
            let shown = plural(*shown, "instance", "instances");
            format!("{shown}, {distribution}: {}; {}", lowered.scope, duration(start.elapsed()))
        }
    };
    if let Target::Directory(directory) = &delivered.target {
        directory.summary(&json)?;
    }
    match (args.format, &args.output) {
        (Format::Json, None) => out.json(&json)?,
        (Format::Text, None) => out.line(&line())?,
        // Documents must not be followed by anything, and files are not results on the screen.
        _ => {
            out.flush()?;
            let mut line = line();
            if let (Target::Directory(directory), Some(path)) = (&delivered.target, &args.output) {
                line += &format!("; in {}", path.display());
                if directory.kept > 0 {
                    line += &format!(" ({} of them from before)", directory.kept);
                }
            }
            say(&line);
        }
    }
    if args.stats {
        out.flush()?;
        say(&statistics(summary));
    }
    Ok(exit_of(summary.verdict))
}
