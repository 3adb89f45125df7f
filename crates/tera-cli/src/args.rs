//! The command line as clap sees it: the table of subcommands and the options several of them share.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// tera finds every small case: instances of Alloy specifications, each isomorphism class exactly
/// once, and inputs on which a Rust function breaks its contract.
#[derive(Parser, Debug)]
#[command(name = "tera", version, styles = STYLES, max_term_width = 100, after_help = AFTER_HELP)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

const AFTER_HELP: &str = "\
Exit codes: 0 as expected; 1 a counterexample, an `expect` not met or a contract failed; 2 a mistake \
in the specification or the command line; 3 not decided (timeout, interrupt); 70 a fault of tera's own.

Try: tera gen models/list.als --scope 3";

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Generate every instance of a specification, one of each isomorphism class
    Gen(crate::generate::GenArgs),
    /// Execute the commands of a specification, honouring their `expect`
    Run(crate::run::RunArgs),
    /// Test the contracts of a Rust crate
    Check(crate::check::CheckArgs),
    /// Write the signatures of a specification from Rust declarations
    Init(crate::init::InitArgs),
    /// Evaluate an expression in an instance
    Eval(crate::eval::EvalArgs),
    /// Show saved instances as text, JSON, XML or pictures
    View(crate::view::ViewArgs),
    /// Join the results of shards
    Merge(crate::merge::MergeArgs),
}

/// A specification and how it is read.
#[derive(ClapArgs, Debug)]
pub struct SpecArgs {
    /// The specification: Alloy, or Markdown with Alloy in it; `-` reads standard input
    pub file: PathBuf,
    /// Look for opened modules here too (may be repeated)
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// What integers do at the end of their range
    #[arg(long, value_name = "MODE", default_value = "exact")]
    pub overflow: OverflowArg,
    /// Treat warnings as errors
    #[arg(long, value_name = "WHAT")]
    pub deny: Option<Deny>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Deny {
    Warnings,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum OverflowArg {
    /// Mathematical integers; a number without an atom is in no set
    Exact,
    /// Two's complement, as the Analyzer without overflow prevention
    Wrap,
    /// As the Analyzer with overflow prevention
    Forbid,
}

impl From<OverflowArg> for tera_rel::Overflow {
    fn from(arg: OverflowArg) -> tera_rel::Overflow {
        match arg {
            OverflowArg::Exact => tera_rel::Overflow::Exact,
            OverflowArg::Wrap => tera_rel::Overflow::Wrap,
            OverflowArg::Forbid => tera_rel::Overflow::Forbid,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum SolverArg {
    #[default]
    Varisat,
    Batsat,
}

impl From<SolverArg> for tera_finder::SolverKind {
    fn from(arg: SolverArg) -> tera_finder::SolverKind {
        match arg {
            SolverArg::Varisat => tera_finder::SolverKind::Varisat,
            SolverArg::Batsat => tera_finder::SolverKind::Batsat,
        }
    }
}

/// Seconds from now, as a moment.
pub fn deadline(timeout: Option<f64>) -> Option<Instant> {
    timeout.map(|s| Instant::now() + Duration::from_secs_f64(s))
}

/// A positive number of seconds.
pub fn parse_seconds(text: &str) -> Result<f64, String> {
    /// A hundred years; more overflows the clock.
    const MOST: f64 = 3.2e9;
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= MOST => Ok(seconds),
        _ => Err("a positive number of seconds is wanted, e.g. 10 or 0.5".into()),
    }
}

/// `3/8`: part 3 of 8.
pub fn parse_shard(text: &str) -> Result<(u32, u32), String> {
    let wrong = || "two numbers are wanted, e.g. 3/8 for the third of eight parts".to_string();
    let (i, n) = text.split_once('/').ok_or_else(wrong)?;
    let (i, n): (u32, u32) = (i.trim().parse().map_err(|_| wrong())?, n.trim().parse().map_err(|_| wrong())?);
    if i == 0 || i > n {
        return Err(format!("there is no part {i} of {n}; parts are counted from 1 to {n}"));
    }
    if n > 1_000_000 {
        return Err("at most 1,000,000 parts".into());
    }
    Ok((i, n))
}
