//! Exit codes, and the ways a command ends early.

use std::process::ExitCode;

/// How a run ended, least grave first: of several the gravest counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exit {
    /// Everything as expected.
    Expected = 0,
    /// A timeout or an interrupt came before the answer.
    Undecided,
    /// A counterexample, an `expect` not met, a contract failed.
    Unexpected,
    /// A mistake in the specification or on the command line.
    Mistake,
    /// A fault of tera's own.
    Internal,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Expected => 0,
            Exit::Unexpected => 1,
            Exit::Mistake => 2,
            Exit::Undecided => 3,
            Exit::Internal => 70,
        })
    }
}

/// Why a command cannot go on.
#[derive(Debug)]
pub enum Stop {
    /// What is wrong was said already.
    Exit(Exit),
    /// One line for standard error; a mistake of the user's.
    Message(String),
    /// Nobody reads standard output any more.
    ClosedPipe,
}

impl Stop {
    pub fn message(text: impl Into<String>) -> Stop {
        Stop::Message(text.into())
    }

    /// An error from writing to standard output.
    pub fn output(error: std::io::Error) -> Stop {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            Stop::ClosedPipe
        } else {
            Stop::Message(format!("cannot write to standard output: {error}"))
        }
    }
}
