//! A crate as a user of testera has it, seen by the tests of `tera check` and of reproducers.
//!
//! Its contracts are ignored by a plain `cargo test`, because most of them are meant to fail; each module says
//! how. The variable `FIXED` in the environment turns the bugs off.

#[cfg(test)]
mod trouble;
#[cfg(test)]
mod wrong;

/// Whether the bugs are off.
pub fn is_fixed() -> bool {
    std::env::var_os("FIXED").is_some()
}
