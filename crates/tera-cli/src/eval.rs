//! `tera eval`: evaluates an expression in an instance, also in a saved one.

use std::path::PathBuf;

use clap::Args;

use crate::args::SpecArgs;
use crate::exit::{Exit, Stop};

#[derive(Args, Debug)]
pub struct EvalArgs {
    #[command(flatten)]
    pub spec: SpecArgs,
    /// An expression or formula over the signatures and fields of the specification
    pub expression: String,
    /// A saved instance: tera's JSON or the Analyzer's XML
    #[arg(long, value_name = "FILE")]
    pub instance: Option<PathBuf>,
}

pub fn run(args: EvalArgs) -> Result<Exit, Stop> {
    let _ = args;
    Err(Stop::message("tera eval is not there yet"))
}
