//! `--certify FILE`: two independent ways to the same number.
//!
//! The orbits of the classes found must sum up to the number of labelled instances: all valuations
//! over the atoms of the top-level signatures, before any atom is fixed by a bound. A second search,
//! of a problem without fixed atoms and without any symmetry breaking, counts those. The receipt says
//! what was counted, and how.

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

pub fn run(
    out: &mut Out,
    args: &GenArgs,
    front: &Front,
    subject: &Subject,
    lowered: &Lowered,
    options: EnumerateOptions,
    receipt: &Path,
) -> Result<Exit, Stop> {
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
    let Some(labelled) = checked(out, front, subject, lowered, tera_finder::count(&unfixed.problem, &plain))?
    else {
        return Ok(Exit::Mistake);
    };
    if labelled.verdict != Verdict::Exhausted {
        say("not certified: the count of labelled instances was cut off");
        return Ok(exit_of(labelled.verdict));
    }
    let agree = orbits == BigUint::from(labelled.count);
    let mut value = header_of(args, front, subject, lowered);
    value["type"] = "receipt".into();
    if let Some(map) = value.as_object_mut() {
        map.shift_remove("schema");
    }
    let facts = json!({
        "strategy": classes.strategy,
        "classes": classes.count,
        "orbits": orbits.to_string(),
        "labelled": labelled.count.to_string(),
        "labelled_by": "enumeration without symmetry breaking or fixed atoms",
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
        let labelled = plural(labelled.count, "labelled instance", "labelled instances");
        let word = if agree { "certified" } else { "NOT CERTIFIED" };
        out.line(&format!(
            "{word}: {classes} with orbits of {orbits} in all, {labelled} counted without symmetry breaking: {}; \
             receipt in {}",
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

/// How many permutations of atoms there are inside the sorts.
fn permutations(problem: &tera_rel::Problem) -> BigUint {
    problem.sorts.iter().flat_map(|sort| 2..=sort.len()).fold(BigUint::from(1u32), |n, i| n * i)
}
