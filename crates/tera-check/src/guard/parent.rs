//! The parent's side: starts workers, watches them, turns their deaths into verdicts.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use super::shared::{Cause, Shared};
use super::worker::VARIABLE;
use super::{Death, Limits, Phase};

/// How to start this program again as a worker.
#[derive(Clone, Debug)]
pub struct Command {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// Further environment variables.
    pub environment: Vec<(OsString, OsString)>,
}

impl Command {
    /// This very program, to run exactly the test of this name.
    pub fn this_test(name: &str) -> io::Result<Command> {
        let args = ["--exact", name, "--nocapture", "--include-ignored", "--test-threads=1", "--quiet"];
        Ok(Command {
            program: std::env::current_exe()?,
            args: args.iter().map(OsString::from).collect(),
            environment: Vec::new(),
        })
    }

    /// This very program with its arguments.
    pub fn this_program() -> io::Result<Command> {
        Ok(Command {
            program: std::env::current_exe()?,
            args: std::env::args_os().skip(1).collect(),
            environment: Vec::new(),
        })
    }
}

/// What became of an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The executor's report.
    Reported(String),
    /// The worker died in this phase; what it had written to standard error.
    Died { death: Death, phase: Phase, stderr: String },
}

/// One worker process, replaced when it dies.
pub struct Worker {
    command: Command,
    limits: Limits,
    shared: Shared,
    shared_path: PathBuf,
    stderr_path: PathBuf,
    process: Option<Process>,
    /// How many worker processes were started.
    pub started: u64,
}

struct Process {
    child: Child,
    socket: UnixStream,
    received: Vec<u8>,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

enum Reply {
    Line(String),
    Ended,
    Hung,
}

impl Worker {
    /// Prepares a worker whose files lie in `dir` under `name`; batches hold up to `n_words`.
    pub fn new(
        command: Command,
        limits: Limits,
        dir: &Path,
        name: &str,
        n_words: usize,
    ) -> io::Result<Worker> {
        std::fs::create_dir_all(dir)?;
        let shared_path = dir.join(format!("{name}.shared"));
        let stderr_path = dir.join(format!("{name}.stderr"));
        let shared = Shared::create(&shared_path, n_words)?;
        Ok(Worker { command, limits, shared, shared_path, stderr_path, process: None, started: 0 })
    }

    /// Words a batch may have.
    pub fn capacity(&self) -> usize {
        self.shared.capacity()
    }

    /// The path that the executor noted last: see [`super::Watched`].
    pub fn trail(&self) -> &[std::sync::atomic::AtomicU64] {
        self.shared.trail()
    }

    /// How many runs lie behind that one.
    pub fn behind(&self) -> u64 {
        self.shared.notes().behind.load(Relaxed)
    }

    /// Runs the inputs of `words`, `stride` words each, from input `start` on, and tells `on_event`
    /// of every one that did not pass, in order, until that breaks. An error is a fault of the
    /// worker itself.
    pub fn run(
        &mut self,
        words: &[u64],
        stride: usize,
        start: usize,
        detail: bool,
        on_event: &mut dyn FnMut(usize, Event) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let count = words.len() / stride.max(1);
        self.shared.write_words(0, words);
        let mut start = start;
        let mut is_over = false;
        while start < count && !is_over {
            self.ensure_started()?;
            let notes = self.shared.notes();
            notes.cause.store(Cause::None as u32, Relaxed);
            notes.text_len.store(0, Relaxed);
            notes.phase.store(Phase::Idle as u32, Relaxed);
            notes.current.store(start as u64, Relaxed);
            let process = self.process.as_mut().expect("started");
            let order = format!("{start} {count} {stride} {}\n", u8::from(detail));
            let sent = process.socket.write_all(order.as_bytes());
            let ended = match sent {
                Err(_) => Reply::Ended,
                Ok(()) => loop {
                    match self.next_reply()? {
                        Reply::Line(line) if line == "done" => return Ok(()),
                        Reply::Line(line) => {
                            if let Some((index, report)) =
                                line.strip_prefix("fail ").and_then(|rest| rest.split_once(' '))
                            {
                                let index = index.parse().unwrap_or(start);
                                // What the worker does after the end interests nobody.
                                is_over =
                                    is_over || on_event(index, Event::Reported(report.to_owned())).is_break();
                            }
                        }
                        ended => break ended,
                    }
                },
            };
            let index = self.shared.notes().current.load(Relaxed) as usize;
            let phase = Phase::from_u32(self.shared.notes().phase.load(Relaxed));
            let hung = matches!(ended, Reply::Hung);
            let (death, stderr) = self.bury(hung)?;
            if phase == Phase::Idle && !hung && index == start {
                return Err(io::Error::other(format!("a worker died before its input: {death}\n{stderr}")));
            }
            is_over = is_over || on_event(index, Event::Died { death, phase, stderr }).is_break();
            start = index + 1;
        }
        Ok(())
    }

    /// Ends the process, so that the next batch begins in a fresh one.
    pub fn restart(&mut self) {
        self.process = None;
    }

    fn ensure_started(&mut self) -> io::Result<()> {
        if self.process.is_some() {
            return Ok(());
        }
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_read_timeout(Some(Duration::from_millis(20)))?;
        let stderr = File::create(&self.stderr_path)?;
        let child = std::process::Command::new(&self.command.program)
            .args(&self.command.args)
            .env(VARIABLE, &self.shared_path)
            // Panics are kept, not printed; a backtrace would bury what else is said.
            .env("RUST_BACKTRACE", "0")
            .envs(self.command.environment.iter().map(|(k, v)| (k, v)))
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::from(stderr))
            .spawn()?;
        self.started += 1;
        self.process = Some(Process { child, socket: ours, received: Vec::new() });
        self.shared.notes().phase.store(Phase::Idle as u32, Relaxed);
        match self.next_reply()? {
            Reply::Line(line) if line == "ready" => Ok(()),
            Reply::Line(line) => {
                let message = line.strip_prefix("error ").unwrap_or(&line).replace('\u{1}', "\n");
                self.process = None;
                // What is wrong is the contract: see [`Worker::run`].
                Err(io::Error::new(io::ErrorKind::InvalidInput, message))
            }
            Reply::Ended | Reply::Hung => {
                let (death, stderr) = self.bury(false)?;
                Err(io::Error::other(format!("a worker did not start: {death}\n{stderr}")))
            }
        }
    }

    /// Waits for the next line, the end of the process, or the end of patience with one input.
    fn next_reply(&mut self) -> io::Result<Reply> {
        let process = self.process.as_mut().expect("started");
        let notes = self.shared.notes();
        let mut pulse = notes.pulse.load(Relaxed);
        let mut since = Instant::now();
        let mut used = cpu_time(&process.child);
        let mut buffer = [0; 65536];
        loop {
            if let Some(end) = process.received.iter().position(|&b| b == b'\n') {
                let rest = process.received.split_off(end + 1);
                let mut line = std::mem::replace(&mut process.received, rest);
                line.pop();
                return Ok(Reply::Line(String::from_utf8_lossy(&line).into_owned()));
            }
            match process.socket.read(&mut buffer) {
                Ok(0) => return Ok(Reply::Ended),
                Ok(n) => {
                    process.received.extend_from_slice(&buffer[..n]);
                    continue;
                }
                Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) if e.kind() == io::ErrorKind::ConnectionReset => return Ok(Reply::Ended),
                Err(e) => return Err(e),
            }
            let now = notes.pulse.load(Relaxed);
            let idle = notes.phase.load(Relaxed) == Phase::Idle as u32;
            if now != pulse || idle {
                (pulse, since, used) = (now, Instant::now(), cpu_time(&process.child));
                continue;
            }
            let wall = since.elapsed();
            let spent = match (used, cpu_time(&process.child)) {
                (Some(before), Some(after)) => after.saturating_sub(before),
                _ => wall,
            };
            if spent >= self.limits.time || wall >= self.limits.time * 10 {
                return Ok(Reply::Hung);
            }
        }
    }

    /// The verdict on a worker that ended, and what it had said.
    fn bury(&mut self, hung: bool) -> io::Result<(Death, String)> {
        let mut process = self.process.take().expect("started");
        if hung {
            let _ = process.child.kill();
        }
        let status = process.child.wait()?;
        let stderr = tail(&self.stderr_path);
        let death = if hung {
            Death::Hang { seconds: self.limits.time.as_secs_f64() }
        } else {
            self.death(status, &stderr)
        };
        Ok((death, stderr))
    }

    fn death(&self, status: ExitStatus, stderr: &str) -> Death {
        let notes = self.shared.notes();
        let cause = notes.cause.load(Relaxed);
        if cause == Cause::StackOverflow as u32 {
            return Death::StackOverflow;
        }
        if cause == Cause::Segfault as u32 {
            return Death::Segfault { address: notes.address.load(Relaxed) };
        }
        if cause == Cause::OutOfMemory as u32 {
            return Death::OutOfMemory { bytes: None };
        }
        match (status.code(), status.signal()) {
            (Some(code), _) => Death::Exit { code },
            (None, Some(libc::SIGABRT)) => match failed_allocation(stderr) {
                Some(bytes) => Death::OutOfMemory { bytes: Some(bytes) },
                None => Death::Abort { message: notes.text() },
            },
            // What the system's killer of memory hogs sends; nobody else kills workers.
            (None, Some(libc::SIGKILL)) => Death::OutOfMemory { bytes: None },
            (None, Some(number)) => Death::Signal { number },
            (None, None) => Death::Signal { number: 0 },
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            // The end of its commands ends the worker.
            let _ = process.socket.shutdown(std::net::Shutdown::Both);
        }
        self.process = None;
        let _ = std::fs::remove_file(&self.shared_path);
        let _ = std::fs::remove_file(&self.stderr_path);
    }
}

/// The words of the standard library's allocation error handler.
fn failed_allocation(stderr: &str) -> Option<u64> {
    let rest = &stderr[stderr.rfind("memory allocation of ")? + 21..];
    rest.split(' ').next()?.parse().ok()
}

/// The end of a file, as text.
fn tail(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_default();
    let start = bytes.len().saturating_sub(1 << 16);
    String::from_utf8_lossy(&bytes[start..]).into_owned()
}

/// Processor time that the process has used, where the system tells.
#[cfg(target_os = "linux")]
fn cpu_time(child: &Child) -> Option<Duration> {
    // Safety: plain system calls that fill local values.
    unsafe {
        let mut clock = 0;
        if libc::clock_getcpuclockid(child.id() as libc::pid_t, &mut clock) != 0 {
            return None;
        }
        let mut time: libc::timespec = std::mem::zeroed();
        (libc::clock_gettime(clock, &mut time) == 0)
            .then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }
}

#[cfg(not(target_os = "linux"))]
fn cpu_time(_child: &Child) -> Option<Duration> {
    None
}
