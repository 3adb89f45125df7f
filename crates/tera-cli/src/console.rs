//! The terminal: buffered output, progress, colour, Ctrl-C.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::exit::Stop;

/// Standard output: locked, with a large buffer, flushed at the end of every command.
pub struct Out(std::io::BufWriter<std::io::StdoutLock<'static>>);

impl Out {
    pub fn new() -> Out {
        Out(std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock()))
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.0.write_all(bytes).map_err(Stop::output)
    }

    pub fn text(&mut self, text: &str) -> Result<(), Stop> {
        self.bytes(text.as_bytes())
    }

    pub fn line(&mut self, text: &str) -> Result<(), Stop> {
        self.text(text)?;
        self.bytes(b"\n")
    }

    pub fn json(&mut self, value: &serde_json::Value) -> Result<(), Stop> {
        self.line(&value.to_string())
    }

    pub fn flush(&mut self) -> Result<(), Stop> {
        self.0.flush().map_err(Stop::output)
    }
}

/// Whether standard error takes colours: it is a terminal and `NO_COLOR` is not set.
pub fn stderr_colour() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()) && std::io::stderr().is_terminal()
}

/// A line on standard error. Nobody reading it is no reason to stop.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// How long what runs may take to notice the interrupt, write what it has and end.
const GRACE: Duration = Duration::from_secs(3);

/// Set by Ctrl-C or a request to terminate. A second one ends the process at once, and so does a
/// part that does not look at the flag (reading a large file, say) after [`GRACE`].
pub fn interrupt_flag() -> Arc<AtomicBool> {
    static PRESSED: AtomicU32 = AtomicU32::new(0);
    let flag = Arc::new(AtomicBool::new(false));
    let shared = flag.clone();
    // A second handler in one process cannot be set; then the first one stays.
    let _ = ctrlc::set_handler(move || {
        shared.store(true, Ordering::Relaxed);
        if PRESSED.fetch_add(1, Ordering::Relaxed) > 0 {
            std::process::exit(3);
        }
        std::thread::spawn(|| {
            std::thread::sleep(GRACE);
            say("interrupted");
            std::process::exit(3);
        });
    });
    flag
}

/// A line on standard error that says how far a long search is; silent unless that is a terminal.
pub struct Progress {
    shown: bool,
    enabled: bool,
    start: Instant,
    next: Instant,
    what: &'static str,
}

impl Progress {
    const FIRST: Duration = Duration::from_millis(500);
    const EVERY: Duration = Duration::from_millis(200);

    pub fn new(what: &'static str) -> Progress {
        let start = Instant::now();
        Progress {
            shown: false,
            // A terminal that takes the results needs no progress among them.
            enabled: std::io::stderr().is_terminal() && !std::io::stdout().is_terminal(),
            start,
            next: start + Self::FIRST,
            what,
        }
    }

    /// Called often; looks at the clock only now and then.
    pub fn at(&mut self, count: u64) {
        if !self.enabled || count & 0xff != 0 {
            return;
        }
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + Self::EVERY;
        let rate = count as f64 / (now - self.start).as_secs_f64();
        let text = format!("\r{} {}, {}/s\x1b[K", thousands(count), self.what, thousands(rate as u64));
        let _ = std::io::stderr().write_all(text.as_bytes());
        self.shown = true;
    }

    pub fn finish(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = std::io::stderr().write_all(b"\r\x1b[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

/// `1234567` as `1,234,567`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `3 ms`, `0.25 s`, `12 s`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 0.1 {
        format!("{:.0} ms", (seconds * 1e3).ceil())
    } else if seconds < 10.0 {
        format!("{seconds:.2} s")
    } else {
        format!("{seconds:.0} s")
    }
}

/// `1 instance`, `2 instances`.
pub fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(count), if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_in_threes() {
        let all: Vec<String> = [0, 12, 999, 1000, 85_000, 10_391_382].map(thousands).into();
        assert_eq!(all, ["0", "12", "999", "1,000", "85,000", "10,391,382"]);
    }

    #[test]
    fn times_are_short() {
        let text = |s: f64| duration(Duration::from_secs_f64(s));
        assert_eq!([text(0.0021), text(0.25), text(12.3)], ["3 ms", "0.25 s", "12 s"]);
    }
}
