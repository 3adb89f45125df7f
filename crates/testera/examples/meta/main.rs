//! The fourth case study of the TestEra paper: a model finder tested on specifications that it
//! makes itself.
//!
//! `cargo run --release --example meta`

mod meta;

fn main() {
    for (each_owns_one, scope) in [
        (true, "exactly 2 Sig, exactly 2 Atom"),
        (false, "exactly 2 Sig, exactly 2 Atom"),
        (false, "3 Sig, 3 Atom"),
    ] {
        let (specs, instances) = meta::check_all(each_owns_one, scope);
        let which = if each_owns_one { ", each owning one atom" } else { "" };
        println!("{scope}{which}: {specs} specifications with {instances} instances, all as they should be");
    }
}
