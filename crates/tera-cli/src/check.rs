//! `tera check`: tests the contracts of a Rust crate.

use clap::Args;

use crate::exit::{Exit, Stop};

#[derive(Args, Debug)]
pub struct CheckArgs {}

pub fn run(args: CheckArgs) -> Result<Exit, Stop> {
    let _ = args;
    Err(Stop::message("tera check is not there yet"))
}
