//! The `tera` binary: arguments, files, terminal, exit codes.
//!
//! Each subcommand is a file: its raw arguments (clap) and a function `run` that turns them into an
//! [`exit::Exit`] or a [`exit::Stop`]. Nothing below this crate prints, reads files or exits.

mod args;
mod certify;
mod check;
mod checksum;
mod choose;
mod closing;
mod console;
mod deliver;
mod diagnostics;
mod disk;
mod eval;
mod exit;
mod front;
mod generate;
mod growth;
mod header;
mod init;
mod merge;
mod run;
mod verify;
mod view;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::console::say;
use crate::exit::{Exit, Stop};

fn main() -> ExitCode {
    let args = Args::parse();
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or(String::new(), |l| format!(" ({}:{})", l.file(), l.line()));
        let text = info.payload().downcast_ref::<&str>().map(|s| s.to_string());
        let text = text.or_else(|| info.payload().downcast_ref::<String>().cloned()).unwrap_or_default();
        say(&format!(
            "tera: internal error: {text}{place}\n\
             This is a fault of tera, not of your specification. Please report it with the command \
             line and the files; results printed before stay valid."
        ));
    }));
    let worker = std::thread::Builder::new()
        .name("tera".into())
        .stack_size(tera_model::STACK_SIZE)
        .spawn(move || dispatch(args));
    let exit = match worker.map(|w| w.join()) {
        Ok(Ok(exit)) => exit,
        Ok(Err(_)) => Exit::Internal,
        Err(error) => {
            say(&format!("tera: cannot start a thread: {error}"));
            Exit::Internal
        }
    };
    exit.into()
}

fn dispatch(args: Args) -> Exit {
    let result = match args.command {
        Command::Gen(args) => generate::run(args),
        Command::Run(args) => run::run(args),
        Command::Check(args) => check::run(args),
        Command::Init(args) => init::run(args),
        Command::Eval(args) => eval::run(args),
        Command::View(args) => view::run(args),
        Command::Merge(args) => merge::run(args),
    };
    match result {
        Ok(exit) => exit,
        Err(Stop::Exit(exit)) => exit,
        Err(Stop::ClosedPipe) => Exit::Expected,
        Err(Stop::Message(message)) => {
            say(&format!("error: {message}"));
            Exit::Mistake
        }
    }
}
