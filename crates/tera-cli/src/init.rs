//! `tera init`: writes the signatures of a specification from Rust declarations.

use clap::Args;

use crate::exit::{Exit, Stop};

#[derive(Args, Debug)]
pub struct InitArgs {}

pub fn run(args: InitArgs) -> Result<Exit, Stop> {
    let _ = args;
    Err(Stop::message("tera init is not there yet"))
}
