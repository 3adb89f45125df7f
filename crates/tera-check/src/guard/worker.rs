//! The worker's side: one thread, one loop.

use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

use super::shared::Shared;
use super::{Executor, Limits, Note, Phase, signals};

/// The environment variable that makes a process a worker: the path of the shared file.
pub(super) const VARIABLE: &str = "TESTERA_WORKER";

/// The shared file when this process is a worker.
pub fn worker_path() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).map(PathBuf::from)
}

/// Serves the parent until it has no more batches, then ends the process: whatever else the test
/// binary would do or print is none of the worker's business.
///
/// `make` builds the executor on the thread that runs it; its error is passed to the parent.
pub fn serve<E: Executor>(limits: Limits, make: impl FnOnce() -> Result<E, String> + Send) -> ! {
    let stack = limits.stack;
    let served = std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("testera".into())
            .stack_size(stack)
            .spawn_scoped(scope, move || serve_here(limits, make))
            .and_then(|thread| thread.join().map_err(|_| io::Error::other("the worker panicked"))?)
    });
    if let Err(error) = &served {
        eprintln!("testera: the worker cannot go on: {error}");
    }
    // Safety: ends the process without running anything else's clean-up.
    unsafe { libc::_exit(if served.is_ok() { 0 } else { 70 }) }
}

fn serve_here<E: Executor>(limits: Limits, make: impl FnOnce() -> Result<E, String>) -> io::Result<()> {
    let path = worker_path().expect("called in a worker");
    let shared: &'static Shared = Box::leak(Box::new(Shared::open(&path)?));
    super::watched::is_here(shared);
    let notes = shared.notes();
    let socket = take_standard_input()?;
    // Safety: the mapping is leaked.
    unsafe { signals::install(notes, limits.stack) };
    die_with_parent();
    let last = std::sync::atomic::AtomicU64::new(0);
    super::install_hook(move |panic| {
        // A second panic of one input (in a destructor, while unwinding) aborts: both matter.
        let pulse = notes.pulse.load(Relaxed);
        let before = if last.swap(pulse, Relaxed) == pulse { notes.text() + "; " } else { String::new() };
        notes.set_text(&format!("{before}{} ({})", panic.message, panic.location));
    });

    let mut commands = BufReader::new(socket.try_clone()?);
    let mut replies = socket;
    let mut executor = match make() {
        Ok(executor) => executor,
        Err(message) => {
            writeln!(replies, "error {}", message.replace('\n', "\u{1}"))?;
            return Ok(());
        }
    };
    writeln!(replies, "ready")?;
    limit_memory(limits.memory);

    let mut line = String::new();
    let mut pulse = 0;
    loop {
        line.clear();
        if commands.read_line(&mut line)? == 0 {
            break; // the parent has no more to do, or is no more
        }
        let mut numbers = line.split_ascii_whitespace().map(|n| n.parse::<usize>().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        let (start, count, stride, detail) = (next(), next(), next(), next() != 0);
        for index in start..count {
            pulse += 1;
            notes.current.store(index as u64, Relaxed);
            notes.pulse.store(pulse, Relaxed);
            let input = shared.words(index * stride, stride);
            if let Some(report) = executor.run(input, detail, Note { notes: Some(notes), clock: None }) {
                debug_assert!(!report.contains('\n'));
                replies.write_all(format!("fail {index} {report}\n").as_bytes())?;
            }
        }
        notes.phase.store(Phase::Idle as u32, Relaxed);
        replies.write_all(b"done\n")?;
    }
    notes.phase.store(Phase::Done as u32, Relaxed);
    Ok(())
}

/// Takes the socket out of the way of the subject, which finds an empty standard input instead.
fn take_standard_input() -> io::Result<UnixStream> {
    // Safety: descriptor calls on descriptors that exist; the copy is owned once.
    unsafe {
        let copy = libc::fcntl(0, libc::F_DUPFD_CLOEXEC, 100);
        if copy < 0 {
            return Err(io::Error::last_os_error());
        }
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY);
        if null >= 0 {
            libc::dup2(null, 0);
            libc::close(null);
        }
        Ok(UnixStream::from(OwnedFd::from_raw_fd(copy)))
    }
}

/// Ends this process when its parent ends: a worker in an endless loop would outlive one that was killed.
pub fn die_with_parent() {
    // Safety: a plain system call.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
    #[cfg(not(target_os = "linux"))]
    std::thread::spawn(|| {
        use std::os::unix::process::parent_id;
        let parent = parent_id();
        while parent_id() == parent {
            std::thread::sleep(std::time::Duration::from_millis(500));
        }
        // Safety: ends the process.
        unsafe { libc::_exit(0) }
    });
}

/// Lets allocations fail `budget` bytes above what is mapped now. Linux only: elsewhere the limit
/// is not enforced by the system.
fn limit_memory(budget: u64) {
    #[cfg(target_os = "linux")]
    if let Ok(statm) = std::fs::read_to_string("/proc/self/statm")
        && let Some(pages) = statm.split(' ').next().and_then(|n| n.parse::<u64>().ok())
    {
        // Safety: plain system calls.
        unsafe {
            let page = libc::sysconf(libc::_SC_PAGESIZE).max(1) as u64;
            let most = pages * page + budget;
            let limit = libc::rlimit { rlim_cur: most, rlim_max: libc::RLIM_INFINITY };
            libc::setrlimit(libc::RLIMIT_AS, &limit);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = budget;
}
