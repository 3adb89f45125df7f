//! `--certify FILE`: two independent ways to the same number.
//!
//! The orbits of the classes found must sum up to the number of labelled instances: all valuations
//! over the atoms of the top-level signatures, before any atom is fixed by a bound. A model counter, or a
//! second search without any symmetry breaking, counts those of a problem without fixed atoms. The atoms
//! of an enum have names, and are fixed there too: every renaming of them gives as many instances again.
//! The receipt says what was counted, and how.

use std::ops::ControlFlow;
use std::path::Path;

use num_bigint::BigUint;
use serde_json::{Value, json};
use tera_finder::{EnumerateOptions, Found, Symmetry, Verdict};
use tera_model::Lowered;

use crate::closing::exit_of;
use crate::console::{Out, plural, say};
use crate::deliver::Format;
use crate::exit::{Exit, Stop};
use crate::front::Front;
use crate::generate::{GenArgs, Subject, checked, header_of};

/// Labelled instances above which they are not enumerated.
const MOST_LABELLED: u64 = 200_000_000;

pub fn run(
    out: &mut Out,
    args: &GenArgs,
    front: &Front,
    subject: &Subject,
    lowered: &Lowered,
    options: EnumerateOptions,
    receipt: &Path,
) -> Result<Exit, Stop> {
    can_write(receipt)?;
    let mut orbits = BigUint::from(0u32);
    let mut sink = |found: &Found| {
        orbits += found.orbit_size().expect("the group was asked for");
        ControlFlow::Continue(())
    };
    let found = tera_finder::enumerate(&lowered.problem, &options, &mut sink);
    let Some(classes) = checked(out, front, subject, lowered, found)? else { return Ok(Exit::Mistake) };
    if classes.verdict != Verdict::Exhausted {
        say("not certified: the search for classes was cut off");
        return Ok(exit_of(classes.verdict));
    }
    let unfixed = subject.lower_unfixed(out, front, args.scope.as_deref())?;
    // Constants are values too: a permutation that changes them gives other labelled instances.
    orbits = orbits * permutations(&unfixed.problem) / permutations(&lowered.problem);
    let plain = EnumerateOptions { symmetry: Symmetry::None, want_group: false, ..options };
    let counted = tera_finder::count_labelled(&unfixed.problem, &plain, &orbits, MOST_LABELLED);
    let counted = match counted {
        Ok(counted) => counted,
        Err(error) => {
            front.finder_error(out, &unfixed, subject.span, &error)?;
            return Ok(Exit::Mistake);
        }
    };
    if counted.verdict == Verdict::Limit {
        say(&format!(
            "not certified: the orbits of {} sum up to {orbits}, more labelled instances than can be enumerated, \
             and they could not be counted otherwise",
            plural(classes.count, "class", "classes")
        ));
        return Ok(Exit::Undecided);
    }
    if counted.verdict != Verdict::Exhausted {
        say("not certified: the count of labelled instances was cut off");
        return Ok(exit_of(counted.verdict));
    }
    let names = renamings(&unfixed);
    let agree = orbits == counted.count;
    let (orbits, labelled) = (orbits * &names, counted.count * names);
    let mut value = header_of(args, front, subject, lowered);
    value["type"] = "receipt".into();
    if let Some(map) = value.as_object_mut() {
        map.shift_remove("schema");
    }
    let facts = json!({
        "strategy": classes.strategy,
        "classes": classes.count,
        "orbits": orbits.to_string(),
        "labelled": labelled.to_string(),
        "labelled_by": counted.by,
        "agree": agree,
    });
    for (key, fact) in facts.as_object().into_iter().flatten() {
        value[key] = Value::clone(fact);
    }
    std::fs::write(receipt, format!("{value:#}\n"))
        .map_err(|e| Stop::message(format!("cannot write {}: {e}", receipt.display())))?;
    if args.format == Format::Json {
        out.json(&value)?;
    } else {
        let classes = plural(classes.count, "class", "classes");
        let word = if agree { "certified" } else { "NOT CERTIFIED" };
        out.line(&format!(
            "{word}: {classes} with orbits of {orbits} in all, {labelled} labelled instances counted by {}: {}; \
             receipt in {}",
            counted.by,
            lowered.scope,
            receipt.display()
        ))?;
    }
    out.flush()?;
    if agree {
        return Ok(Exit::Expected);
    }
    say(
        "tera: internal error: the two counts differ. Please report this with the specification and the receipt.",
    );
    Ok(Exit::Internal)
}

/// A place where nothing can be written is told before the work, not behind it.
fn can_write(receipt: &Path) -> Result<(), Stop> {
    let is_new = !receipt.exists();
    std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(receipt)
        .and_then(|_| if is_new { std::fs::remove_file(receipt) } else { Ok(()) })
        .map_err(|e| Stop::message(format!("cannot write {}: {e}", receipt.display())))
}

/// How many permutations of atoms there are inside the sorts.
fn permutations(problem: &tera_rel::Problem) -> BigUint {
    problem.sorts.iter().flat_map(|sort| 2..=sort.len()).fold(BigUint::from(1u32), |n, i| n * i)
}

/// How many ways there are to give the names of the enums' atoms.
fn renamings(lowered: &Lowered) -> BigUint {
    let is_enum = |sig: &&tera_rel::SigInfo| sig.is_enum && matches!(sig.kind, tera_rel::SigKind::Top);
    let sizes = lowered.schema.sigs.iter().filter(is_enum);
    let sizes = sizes.map(|sig| lowered.problem.relation(sig.rel).lower.len());
    sizes.flat_map(|size| 2..=size).fold(BigUint::from(1u32), |n, i| n * i)
}
