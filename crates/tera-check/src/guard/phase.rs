//! The steps of an input.

/// What the worker is doing, noted before each step so that a death can be told by its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u32)]
pub enum Phase {
    /// Reading the specification, waiting for a batch: tera's own time.
    Idle = 0,
    /// Building the Rust values of an input.
    Concretize = 1,
    /// Inside the subject.
    Call = 2,
    /// Reading the values back.
    Abstract = 3,
    /// Evaluating the postcondition.
    Judge = 4,
    /// Running `Drop` on the values.
    Drop = 5,
    /// The worker ended as it should.
    Done = 6,
    /// Inside a predicate that says what the inputs are.
    Require = 7,
}

impl Phase {
    pub fn from_u32(value: u32) -> Phase {
        match value {
            1 => Phase::Concretize,
            2 => Phase::Call,
            3 => Phase::Abstract,
            4 => Phase::Judge,
            5 => Phase::Drop,
            6 => Phase::Done,
            7 => Phase::Require,
            _ => Phase::Idle,
        }
    }
}
