//! Contracts that pass, say nothing, cannot be read, or take their time.

use std::io::Write;
use std::time::Duration;

/// 16 inputs, all of which pass.
#[testera::check(ensures = "result >= a and result >= b and result in a + b", scope = "1, 0..3 Int")]
#[ignore = "run by `tera check`"]
fn passes(a: u8, b: u8) -> u8 {
    a.max(b)
}

#[testera::check(requires = "a < 0", ensures = "result = a", scope = "1, 0..3 Int")]
#[ignore = "vacuous on purpose"]
fn no_inputs(a: u8) -> u8 {
    a
}

#[testera::check(ensures = "a = a", scope = "1, 0..3 Int")]
#[ignore = "run by `tera check`"]
fn unbreakable(a: u8) {
    let _ = a;
}

#[testera::check(ensures = "reslut = a", scope = "1, 0..3 Int")]
#[ignore = "a mistake on purpose"]
fn misspelt(a: u8) -> u8 {
    a
}

/// Hangs, exits and aborts, once each.
#[testera::check(ensures = "result = a", scope = "1, 0..9 Int", time = 0.2)]
#[ignore = "fails on purpose"]
fn dies(a: u8) -> u8 {
    match a {
        3 => loop {
            std::hint::spin_loop();
        },
        5 => std::process::exit(0),
        7 => std::process::abort(),
        _ => a,
    }
}

/// 100 inputs of some 10 ms, of which each tenth fails. Says in the file SLOW_LOG which it has begun.
#[testera::check(ensures = "result = b", scope = "1, 0..9 Int")]
#[ignore = "slow on purpose"]
fn slow(a: u8, b: u8) -> u8 {
    if let Some(path) = std::env::var_os("SLOW_LOG") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        // One write, so that lines of several workers stay whole.
        file.and_then(|mut file| file.write_all(format!("{a} {b}\n").as_bytes()))
            .expect("the log is written");
    }
    std::thread::sleep(Duration::from_millis(10));
    if a == 7 { b + 1 } else { b }
}

/// A type whose mapping ends the process: no fault of an input, so there is no verdict.
struct Unmappable;

impl testera::heap::Mapped for Unmappable {
    fn shape(_: &mut testera::heap::Describer) -> testera::heap::Shape {
        std::process::exit(0)
    }
}

impl testera::heap::Concretize for Unmappable {}
impl testera::heap::Abstraction for Unmappable {}

#[testera::check(scope = 1)]
#[ignore = "a fault on purpose"]
fn ends_the_test(a: &Unmappable) {
    let _ = a;
}
