//! `tera run`: executes the commands of a file and honours their `expect`.

use std::ops::ControlFlow;
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};
use tera_finder::{Answer, EnumerateOptions, FinderError, Found, SolveOptions, Summary, Verdict};
use tera_model::{CommandInfo, LowerOptions, Lowered, Target as ModelTarget};
use tera_rel::Instance;
use tera_syntax::Diagnostic;
use tera_syntax::ast::CommandKind;

use crate::args::{SolverArg, SpecArgs, deadline, parse_seconds};
use crate::closing::statistics;
use crate::console::{Out, duration, interrupt_flag, plural, say, thousands};
use crate::deliver::{Context, Format, Formatter};
use crate::diagnostics::{Style, show, unknown_name, wrong_option};
use crate::exit::{Exit, Stop};
use crate::front::{Front, place, shown_path};
use crate::header::verdict_name;
use crate::verify::Verifier;

#[derive(Args, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    pub spec: SpecArgs,
    /// Execute only this command: its label, or its number counted from 0
    #[arg(long, value_name = "N|LABEL")]
    pub command: Option<String>,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Count the isomorphism classes of instances (of a check: of counterexamples)
    #[arg(long)]
    pub count: bool,
    /// Show up to N instances of each command
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub limit: u64,
    /// Where a command has no instance, underline constraints that cannot hold together
    #[arg(long)]
    pub core: bool,
    /// Stop each command after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub timeout: Option<f64>,
    /// What answers plain questions of satisfiability
    #[arg(long, value_enum, default_value_t = SolverArg::Varisat)]
    pub solver: SolverArg,
    /// Threads to count and enumerate with
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: usize,
    /// Judge every instance by an evaluator that shares no code with the search
    #[arg(long)]
    pub verify: bool,
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

/// What a command came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    Sat,
    Unsat,
    Error,
    Undecided,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Outcome::Sat => "sat",
            Outcome::Unsat => "unsat",
            Outcome::Error => "error",
            Outcome::Undecided => "undecided",
        }
    }
}

/// The result of one command.
struct Report {
    outcome: Outcome,
    /// Of `--count` and of `expect N upto iso`.
    classes: Option<Summary>,
    shown: u64,
    /// The scope used, or the one written when the command could not be lowered.
    scope: String,
    met: Option<bool>,
}

impl Report {
    fn exit(&self, kind: CommandKind) -> Exit {
        match (self.outcome, self.met, kind) {
            (Outcome::Error, ..) => Exit::Mistake,
            (Outcome::Undecided, ..) => Exit::Undecided,
            (_, Some(true), _) => Exit::Expected,
            (_, Some(false), _) => Exit::Unexpected,
            (Outcome::Sat, None, CommandKind::Check) => Exit::Unexpected,
            _ => Exit::Expected,
        }
    }
}

pub fn run(args: RunArgs) -> Result<Exit, Stop> {
    let mut out = Out::new();
    let style = if args.format == Format::Json { Style::Json } else { Style::Drawn };
    let front = Front::load(&mut out, &args.spec, style)?;
    let chosen = choose(&mut out, &front, args.command.as_deref())?;
    let interrupt = interrupt_flag();
    let width =
        chosen.iter().map(|&i| title(&front.spec.commands[i]).chars().count()).max().unwrap_or(0).min(60);
    let mut exits = Vec::new();
    for &index in &chosen {
        let start = Instant::now();
        let mut runner = Runner { args: &args, front: &front, index, interrupt: interrupt.clone() };
        let (report, instances) = runner.execute(&mut out)?;
        let command = &front.spec.commands[index];
        if style == Style::Json {
            out.json(&json_line(index, command, &report))?;
        } else if args.format == Format::Text {
            let time = duration(start.elapsed());
            let place = place(&front.spec.sources, command.span);
            let name = title(command);
            let pad = " ".repeat(width.saturating_sub(name.chars().count()));
            let (word, detail) = verdict_words(command.kind, &report);
            out.line(&format!("{name}{pad}  {word:<9}  {detail}  {time}  {place}"))?;
            out.text(&instances)?;
        }
        out.flush()?;
        exits.push(report.exit(command.kind));
        if interrupt.load(std::sync::atomic::Ordering::Relaxed) {
            break;
        }
    }
    if args.format == Format::Text {
        out.line(&closing_line(&front, &chosen, &exits))?;
    }
    out.flush()?;
    Ok(exits.into_iter().max().unwrap_or(Exit::Expected))
}

/// The commands to execute, by number.
fn choose(out: &mut Out, front: &Front, wanted: Option<&str>) -> Result<Vec<usize>, Stop> {
    let commands = &front.spec.commands;
    let Some(wanted) = wanted else { return Ok((0..commands.len()).collect()) };
    let list = || {
        let all: Vec<String> =
            commands.iter().enumerate().map(|(i, c)| format!("{i}: {}", c.label)).collect();
        if all.is_empty() { "the file has none".to_string() } else { format!("there are {}", all.join(", ")) }
    };
    let wrong = |out: &mut Out, message: &str, help: &str| {
        Err(wrong_option(out, front.style, "--command", wanted, message, help))
    };
    if let Ok(number) = wanted.parse::<usize>() {
        return if number < commands.len() {
            Ok(vec![number])
        } else {
            wrong(out, &format!("there is no command {number}, counted from 0"), &list())
        };
    }
    let labelled: Vec<usize> = (0..commands.len()).filter(|&i| commands[i].label == wanted).collect();
    match labelled.len() {
        0 => wrong(out, &format!("no command is called `{wanted}`"), &list()),
        1 => Ok(labelled),
        _ => {
            let numbers: Vec<String> = labelled.iter().map(usize::to_string).collect();
            let help = format!("choose one by its number: {}", numbers.join(", "));
            wrong(out, &format!("`{wanted}` is the name of several commands"), &help)
        }
    }
}

/// `run show for 3 but exactly 2 A`
fn title(command: &CommandInfo) -> String {
    let kind = kind_name(command.kind);
    let blank = if command.scope.is_empty() { "" } else { " " };
    format!("{kind} {}{blank}{}", command.label, command.scope)
}

fn kind_name(kind: CommandKind) -> &'static str {
    match kind {
        CommandKind::Run => "run",
        CommandKind::Check => "check",
    }
}

struct Runner<'a> {
    args: &'a RunArgs,
    front: &'a Front,
    index: usize,
    interrupt: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

impl Runner<'_> {
    fn command(&self) -> &CommandInfo {
        &self.front.spec.commands[self.index]
    }

    /// Executes the command, at each size of its scope until one has an instance.
    fn execute(&mut self, out: &mut Out) -> Result<(Report, String), Stop> {
        let last = self.command().n_sizes - 1;
        for growth in 0..last {
            let result = self.attempt(out, growth, false)?;
            if result.0.outcome != Outcome::Unsat {
                return Ok(result);
            }
        }
        self.attempt(out, last, self.args.core)
    }

    /// Executes the command at one size of its scope. In a text format its instances are returned, to
    /// stand below the line of the command; in the others they are written.
    fn attempt(&mut self, out: &mut Out, growth: u64, core: bool) -> Result<(Report, String), Stop> {
        let mut report = Report {
            outcome: Outcome::Error,
            classes: None,
            shown: 0,
            scope: self.command().scope.clone(),
            met: None,
        };
        let options = LowerOptions { overflow: self.front.overflow(), growth, ..LowerOptions::default() };
        let mut lowered = match self.front.lower(out, &ModelTarget::Command(self.index), &options) {
            Ok(lowered) => lowered,
            Err(Stop::Exit(Exit::Mistake)) => return Ok((report, String::new())),
            Err(stop) => return Err(stop),
        };
        report.scope = lowered.scope.clone();
        let graph =
            tera_view::GraphOptions { hide: self.args.hide.clone(), project: self.args.project.clone() };
        graph.check(&lowered.schema).map_err(|name| unknown_name(out, self.front.style, &name))?;
        let xml = tera_view::XmlInfo {
            command: title(self.command()),
            file: shown_path(&self.args.spec.file),
            sources: Vec::new(),
        };
        let context = Context { xml, graph, command: Some(self.index) };
        let mut text = String::new();
        let mut single = None;
        let mut formatter = Formatter::new(self.args.format, &lowered, context.clone());
        match self.search(out, &lowered, &mut formatter, &mut text, &mut single, &mut report)? {
            Ok(()) => {}
            Err(error) => {
                self.front.finder_error(out, &lowered, self.command().span, &error)?;
                report.outcome = Outcome::Error;
                return Ok((report, text));
            }
        }
        if let Some(mut instance) = single {
            let problem = &lowered.problem;
            tera_rel::show_witnesses(problem, &lowered.var_names, &mut lowered.schema, &mut instance);
            let mut formatter = Formatter::new(self.args.format, &lowered, context);
            self.show(out, &lowered, &mut formatter, &mut text, 0, &instance)?;
            report.shown = 1;
        }
        report.met = self.met(&report);
        if core && report.outcome == Outcome::Unsat {
            self.core(out, &lowered)?;
        }
        Ok((report, text))
    }

    /// Whether the command's `expect` is met, if that is known.
    fn met(&self, report: &Report) -> Option<bool> {
        let expect = self.command().expect?;
        if expect.upto_iso {
            let classes = report.classes.as_ref()?;
            return match classes.verdict {
                Verdict::Exhausted => Some(classes.count as i64 == expect.value),
                _ if classes.count as i64 > expect.value => Some(false),
                _ => None,
            };
        }
        match report.outcome {
            Outcome::Sat => Some(expect.value != 0),
            Outcome::Unsat => Some(expect.value == 0),
            _ => None,
        }
    }

    /// Runs the command. A single instance is put into `single`, several are shown as they come.
    fn search(
        &mut self,
        out: &mut Out,
        lowered: &Lowered,
        formatter: &mut Formatter,
        text: &mut String,
        single: &mut Option<Instance>,
        report: &mut Report,
    ) -> Result<Result<(), FinderError>, Stop> {
        let deadline = deadline(self.args.timeout);
        let counts = self.args.count || self.command().expect.is_some_and(|e| e.upto_iso);
        let enumerate_options = EnumerateOptions {
            deadline,
            interrupt: Some(self.interrupt.clone()),
            threads: self.args.threads.max(1),
            ..EnumerateOptions::default()
        };
        if counts {
            let summary = match tera_finder::count(&lowered.problem, &enumerate_options) {
                Ok(summary) => summary,
                Err(error) => return Ok(Err(error)),
            };
            report.outcome = match (summary.count, summary.verdict) {
                (0, Verdict::Exhausted) => Outcome::Unsat,
                (0, _) => Outcome::Undecided,
                _ => Outcome::Sat,
            };
            if self.args.stats {
                out.flush()?;
                say(&statistics(&summary));
            }
            report.classes = Some(summary);
            if self.args.count || report.outcome != Outcome::Sat {
                return Ok(Ok(()));
            }
        }
        if self.args.limit <= 1 {
            let options = SolveOptions {
                solver: self.args.solver.into(),
                deadline,
                interrupt: Some(self.interrupt.clone()),
            };
            match tera_finder::solve(&lowered.problem, &options) {
                Ok(Answer::Sat(instance)) => {
                    report.outcome = Outcome::Sat;
                    if self.args.limit == 1 {
                        *single = Some(instance);
                    }
                }
                Ok(Answer::Unsat) => report.outcome = Outcome::Unsat,
                Ok(Answer::Unknown(_)) => report.outcome = Outcome::Undecided,
                Err(error) => return Ok(Err(error)),
            }
            return Ok(Ok(()));
        }
        let options = EnumerateOptions { limit: Some(self.args.limit), ..enumerate_options };
        let mut stop = None;
        let mut scratch = Instance { values: Vec::new() };
        let mut deliver = |found: &Found| {
            if self.args.format == Format::Json && !self.args.verify {
                self.json_schema(out, lowered, found.index)?;
                return out.bytes(formatter.json_of_found(found, ""));
            }
            if scratch.values.is_empty() {
                scratch = found.instance();
            } else {
                found.decode_into(&mut scratch);
            }
            self.show(out, lowered, formatter, text, found.index, &scratch)
        };
        let mut sink = |found: &Found| match deliver(found) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                stop = Some(error);
                ControlFlow::Break(())
            }
        };
        let found = tera_finder::enumerate(&lowered.problem, &options, &mut sink);
        if let Some(stop) = stop {
            return Err(stop);
        }
        match found {
            Ok(summary) => {
                report.shown = summary.count;
                report.outcome = match (summary.count, summary.verdict) {
                    (0, Verdict::Exhausted) => Outcome::Unsat,
                    (0, _) => Outcome::Undecided,
                    _ => Outcome::Sat,
                };
                Ok(Ok(()))
            }
            Err(error) => Ok(Err(error)),
        }
    }

    fn show(
        &self,
        out: &mut Out,
        lowered: &Lowered,
        formatter: &mut Formatter,
        text: &mut String,
        index: u64,
        instance: &Instance,
    ) -> Result<(), Stop> {
        if self.args.verify {
            Verifier::new(lowered).judge(out, index, instance)?;
        }
        if self.args.format == Format::Text {
            let label = if self.args.limit > 1 { format!("{index:>5}") } else { "   ".into() };
            let bytes = formatter.stream(index, &label, "", instance);
            text.push_str(&String::from_utf8_lossy(bytes));
            return Ok(());
        }
        self.json_schema(out, lowered, index)?;
        out.bytes(formatter.stream(index, "", "", instance))
    }

    /// The schema stands before the first instance of a command.
    fn json_schema(&self, out: &mut Out, lowered: &Lowered, index: u64) -> Result<(), Stop> {
        if self.args.format != Format::Json || index > 0 {
            return Ok(());
        }
        out.json(&json!({
            "type": "schema",
            "version": tera_view::FORMAT_VERSION,
            "command": self.index,
            "schema": tera_view::schema_json(&lowered.problem.universe, &lowered.schema),
        }))
    }

    /// Underlines the constraints that cannot hold together.
    fn core(&self, out: &mut Out, lowered: &Lowered) -> Result<(), Stop> {
        let options = SolveOptions {
            solver: self.args.solver.into(),
            deadline: deadline(self.args.timeout),
            interrupt: Some(self.interrupt.clone()),
        };
        let core = match tera_finder::core(&lowered.problem, &options) {
            Ok(core) => core,
            Err(error) => {
                return self.front.finder_error(out, lowered, self.command().span, &error);
            }
        };
        let label = &self.command().label;
        let mut diagnostic = Diagnostic::warning(self.command().span, format!("`{label}` has no instance"))
            .label("this command");
        diagnostic.message = if core.is_empty() {
            format!("`{label}` has no instance: its scope leaves no room for one")
        } else {
            format!("`{label}` has no instance: these {} constraints cannot hold together", core.len())
        };
        let mut unwritten = Vec::new();
        for &conjunct in &core {
            let origin = &lowered.origins[conjunct];
            match origin.span {
                Some(span) => diagnostic = diagnostic.related(span, origin.text.clone()),
                None => unwritten.push(origin.text.clone()),
            }
        }
        if !unwritten.is_empty() {
            diagnostic = diagnostic.help(format!("and what no text says: {}", unwritten.join(", ")));
        }
        show(out, self.front.style, &self.front.spec.sources, &[diagnostic])
    }
}

fn json_line(index: usize, command: &CommandInfo, report: &Report) -> Value {
    let mut line = json!({
        "type": "command",
        "index": index,
        "kind": kind_name(command.kind),
        "label": command.label,
        "scope": report.scope,
        "outcome": report.outcome.name(),
        "expect": command.expect.map(|e| e.value),
        "met": report.met,
    });
    if command.expect.is_some_and(|e| e.upto_iso) {
        line["upto_iso"] = true.into();
    }
    if let Some(classes) = &report.classes {
        line["classes"] = classes.count.into();
        line["verdict"] = verdict_name(classes.verdict).into();
    }
    line
}

/// The verdict in one word, and what stands behind it.
fn verdict_words(kind: CommandKind, report: &Report) -> (&'static str, String) {
    let classes = report.classes.as_ref().map(|c| match c.verdict {
        Verdict::Exhausted => format!("{} up to isomorphism", thousands(c.count)),
        other => format!("at least {} up to isomorphism ({})", thousands(c.count), verdict_name(other)),
    });
    let shown =
        |one, many| classes.clone().unwrap_or_else(|| format!("{} shown", plural(report.shown, one, many)));
    let (word, detail) = match (report.outcome, kind) {
        (Outcome::Sat, CommandKind::Run) => ("sat", shown("instance", "instances")),
        (Outcome::Unsat, CommandKind::Run) => ("unsat", "no instance in scope".into()),
        (Outcome::Sat, CommandKind::Check) => ("fails", shown("counterexample", "counterexamples")),
        (Outcome::Unsat, CommandKind::Check) => ("holds", "no counterexample in scope".into()),
        (Outcome::Undecided, _) => ("undecided", "stopped before the answer".into()),
        (Outcome::Error, _) => ("error", "not executed".into()),
    };
    let expected = match report.met {
        Some(false) => "  NOT AS EXPECTED",
        _ => "",
    };
    (word, detail + expected)
}

/// `2 commands, 2 as expected`
fn closing_line(front: &Front, chosen: &[usize], exits: &[Exit]) -> String {
    if front.spec.commands.is_empty() {
        return "no commands in the file: add one, such as `run {} for 3`, or use `tera gen`".into();
    }
    let count = |exit: Exit| exits.iter().filter(|&&e| e == exit).count();
    let mut line = plural(chosen.len() as u64, "command", "commands");
    let kinds = [
        (count(Exit::Expected), "as expected"),
        (count(Exit::Unexpected), "not as expected"),
        (count(Exit::Undecided), "undecided"),
        (count(Exit::Mistake), "in error"),
        (chosen.len() - exits.len(), "not executed"),
    ];
    for (n, what) in kinds.into_iter().filter(|k| k.0 > 0) {
        line += &format!(", {n} {what}");
    }
    line
}
