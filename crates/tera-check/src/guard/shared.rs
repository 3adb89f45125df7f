//! The page that a worker and its parent share: where the worker stands, and the inputs of the
//! batch. It is a file mapped into both, so what was noted survives the worker's death.
//!
//! Invariant: only the parent writes the inputs, only while the worker waits for a command; only
//! the worker (its signal handler included) writes the notes.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// How a signal handler or the allocator explains the end of its process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Cause {
    None = 0,
    StackOverflow = 1,
    Segfault = 2,
    OutOfMemory = 3,
}

/// Bytes of [`Notes::text`].
pub const TEXT: usize = 2048;

/// The notes at the head of the shared file.
#[repr(C)]
pub struct Notes {
    /// Number of the input in progress, within its batch.
    pub current: AtomicU64,
    /// How many inputs this worker began: the pulse that the parent watches.
    pub pulse: AtomicU64,
    /// Of an executor that finds its inputs itself: how many lie behind the one in progress.
    pub behind: AtomicU64,
    pub phase: AtomicU32,
    pub cause: AtomicU32,
    /// The address of a segmentation fault.
    pub address: AtomicU64,
    /// The length of `text`: what a panic hook noted before its process went down.
    pub text_len: AtomicU64,
    pub text: [AtomicU32; TEXT / 4],
}

/// The mapped file.
pub struct Shared {
    base: *mut u8,
    len: usize,
    _file: File,
}

// The mapping stays valid as long as the value lives, and all access goes through atomics or
// follows the protocol of commands.
unsafe impl Send for Shared {}
unsafe impl Sync for Shared {}

/// Words for the path of a run.
pub const TRAIL: usize = 1 << 14;

/// Where the inputs begin; the notes lie before.
const INPUTS: usize = 4096;

impl Shared {
    /// Creates the file with room for `n_words` words of inputs.
    pub fn create(path: &Path, n_words: usize) -> io::Result<Shared> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)?;
        file.set_len((INPUTS + n_words * 8) as u64)?;
        Shared::map(file)
    }

    pub fn open(path: &Path) -> io::Result<Shared> {
        Shared::map(OpenOptions::new().read(true).write(true).open(path)?)
    }

    fn map(file: File) -> io::Result<Shared> {
        const { assert!(size_of::<Notes>() <= INPUTS) };
        let len = file.metadata()?.len() as usize;
        if len < INPUTS {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the shared file is too short"));
        }
        // Safety: a fresh shared mapping of a file we hold open, of its length.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Shared { base: base.cast(), len, _file: file })
    }

    pub fn notes(&self) -> &Notes {
        // Safety: the mapping is page-aligned, longer than `Notes`, and made of atomics.
        unsafe { &*self.base.cast::<Notes>() }
    }

    pub fn capacity(&self) -> usize {
        (self.len - INPUTS) / 8
    }

    /// The end of the inputs, where executors that need little room for them note their paths.
    pub fn trail(&self) -> &[AtomicU64] {
        let len = TRAIL.min(self.capacity());
        // Safety: in bounds, aligned to 8; used as atomics by both sides, and by no input of such an executor.
        unsafe {
            let end = self.base.add(INPUTS).cast::<AtomicU64>().add(self.capacity());
            std::slice::from_raw_parts(end.sub(len), len)
        }
    }

    /// The inputs as the worker reads them.
    pub fn words(&self, start: usize, len: usize) -> &[u64] {
        assert!(start + len <= self.capacity());
        // Safety: in bounds, aligned to 8, and not written while the worker runs a batch.
        unsafe { std::slice::from_raw_parts(self.base.add(INPUTS).cast::<u64>().add(start), len) }
    }

    /// Copies inputs in; the worker is waiting for a command.
    pub fn write_words(&mut self, start: usize, words: &[u64]) {
        assert!(start + words.len() <= self.capacity());
        // Safety: in bounds, aligned, exclusive by the protocol.
        unsafe {
            let to = self.base.add(INPUTS).cast::<u64>().add(start);
            std::ptr::copy_nonoverlapping(words.as_ptr(), to, words.len());
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Safety: the mapping made in `map`, unmapped once.
        unsafe { libc::munmap(self.base.cast(), self.len) };
    }
}

impl Notes {
    /// Stores a text for the parent (what a panic said), cut to the room there is.
    pub fn set_text(&self, text: &str) {
        use std::sync::atomic::Ordering::Relaxed;
        let mut len = text.len().min(TEXT);
        while !text.is_char_boundary(len) {
            len -= 1;
        }
        for (slot, chunk) in self.text.iter().zip(text.as_bytes()[..len].chunks(4)) {
            let mut bytes = [0; 4];
            bytes[..chunk.len()].copy_from_slice(chunk);
            slot.store(u32::from_ne_bytes(bytes), Relaxed);
        }
        self.text_len.store(len as u64, Relaxed);
    }

    pub fn text(&self) -> String {
        use std::sync::atomic::Ordering::Relaxed;
        let len = (self.text_len.load(Relaxed) as usize).min(TEXT);
        let bytes: Vec<u8> =
            self.text.iter().flat_map(|slot| slot.load(Relaxed).to_ne_bytes()).take(len).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
