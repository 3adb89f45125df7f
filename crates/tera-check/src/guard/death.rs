//! The ways in which an input can take its process down.

use std::fmt;

/// Why a worker ended while it ran an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Death {
    /// No end within the limit, in seconds.
    Hang {
        seconds: f64,
    },
    /// `abort()`, with what a panic said before, if one did.
    Abort {
        message: String,
    },
    StackOverflow,
    /// An access to memory that is not there.
    Segfault {
        address: u64,
    },
    /// The allocation that failed, in bytes, where it is known.
    OutOfMemory {
        bytes: Option<u64>,
    },
    /// `process::exit`
    Exit {
        code: i32,
    },
    /// Another signal.
    Signal {
        number: i32,
    },
}

impl Death {
    /// One word: what groups and machine-readable reports call it.
    pub fn kind(&self) -> &'static str {
        match self {
            Death::Hang { .. } => "hang",
            Death::Abort { .. } => "abort",
            Death::StackOverflow => "stack overflow",
            Death::Segfault { .. } => "segmentation fault",
            Death::OutOfMemory { .. } => "out of memory",
            Death::Exit { .. } => "exit",
            Death::Signal { .. } => "signal",
        }
    }
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Death::Hang { seconds } => write!(f, "no end after {seconds} s of processor time"),
            Death::Abort { message } if message.is_empty() => f.write_str("the process aborted"),
            Death::Abort { message } => write!(f, "the process aborted: {message}"),
            Death::StackOverflow => f.write_str("stack overflow"),
            Death::Segfault { address } => write!(f, "segmentation fault at address {address:#x}"),
            Death::OutOfMemory { bytes: Some(n) } => {
                write!(f, "out of memory: an allocation of {n} bytes failed")
            }
            Death::OutOfMemory { bytes: None } => {
                f.write_str("killed by the system (SIGKILL), as it does when memory is short")
            }
            Death::Exit { code } => write!(f, "the process was ended by exit({code})"),
            Death::Signal { number } => {
                let name = match *number {
                    libc::SIGILL => " (illegal instruction)",
                    libc::SIGFPE => " (arithmetic exception)",
                    libc::SIGTRAP => " (trap)",
                    libc::SIGTERM => " (terminated)",
                    libc::SIGPIPE => " (broken pipe)",
                    _ => "",
                };
                write!(f, "the process was ended by signal {number}{name}")
            }
        }
    }
}
