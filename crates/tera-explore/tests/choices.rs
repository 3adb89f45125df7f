//! The driver visits every run exactly once, in the promised order, whatever the strategy.

use proptest::prelude::*;
use tera_explore::{Choices, Explore, Outcome, Verdict, replay};

/// A program whose runs differ in length: a word over `0..width`, ended by a choice.
fn word(width: u8, max: usize) -> impl FnMut(&mut Choices) -> Option<Vec<u8>> + Clone {
    move |c| {
        let mut word = Vec::new();
        while word.len() < max && c.bool() {
            word.push(c.int(0..width));
        }
        c.assume(word.windows(2).all(|pair| pair[0] != pair[1]))?;
        Some(word)
    }
}

fn all<P: FnMut(&mut Choices) -> O, O: Outcome>(explore: Explore<P>) -> Vec<O::Value> {
    let mut runs = explore.runs();
    let values = runs.by_ref().collect();
    assert_eq!(runs.summary().verdict, Verdict::Exhausted);
    values
}

#[test]
fn depth_first_is_lexicographic_and_each_run_is_made_once() {
    let words = all(Explore::new(word(3, 4)));
    assert_eq!(words.len(), 1 + 3 + 6 + 12 + 24);
    let mut sorted = words.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(words, sorted);
}

#[test]
fn breadth_first_and_deepening_order_by_number_of_choices() {
    let breadth = all(Explore::new(word(3, 4)).breadth_first());
    let deepening = all(Explore::new(word(3, 4)).iterative_deepening());
    assert_eq!(breadth, deepening);
    let mut depth = all(Explore::new(word(3, 4)));
    // Words of full length save the last choice, so length four costs 8 choices, length 3 costs 7.
    depth.sort_by_key(|word| (word.len() * 2 + usize::from(word.len() < 4), word.clone()));
    assert_eq!(breadth, depth);
}

#[test]
fn the_verdict_names_the_limit() {
    let mut runs = Explore::new(word(3, 4)).max_runs(5).runs();
    assert!(runs.by_ref().count() < 5, "words with a repeated letter are dropped");
    assert_eq!((runs.summary().runs, runs.summary().verdict), (5, Verdict::Limit));

    let mut runs = Explore::new(word(3, 4)).max_depth(3).runs();
    let short: Vec<_> = runs.by_ref().collect();
    assert_eq!(short, [vec![], vec![0], vec![1], vec![2]]);
    assert_eq!(runs.summary().verdict, Verdict::Limit);

    // Endless without the limit.
    let endless = |c: &mut Choices| while c.bool() {};
    let mut runs = Explore::new(endless).breadth_first().max_depth(9).runs();
    assert_eq!(runs.by_ref().count(), 10 - 1);
    assert_eq!(runs.summary().verdict, Verdict::Limit);
    let mut runs = Explore::new(endless).iterative_deepening().max_runs(7).runs();
    assert_eq!(runs.by_ref().count(), 7);

    let mut runs = Explore::new(endless).timeout(std::time::Duration::ZERO).runs();
    assert_eq!(runs.by_ref().count(), 0);
    assert_eq!(runs.summary().verdict, Verdict::Timeout);
}

#[test]
fn random_runs_repeat_with_the_seed() {
    let some = |seed| Explore::new(word(3, 4)).random(seed).max_runs(50).runs().collect::<Vec<_>>();
    assert_eq!(some(1), some(1));
    assert_ne!(some(1), some(2));
    let all = all(Explore::new(word(3, 4)));
    assert!(some(3).iter().all(|word| all.contains(word)));
}

#[test]
fn a_choice_among_nothing_drops_the_run() {
    let pairs = all(Explore::new(|c: &mut Choices| {
        let x = c.int(0..=3);
        Some((x, c.int(2..=x)))
    }));
    assert_eq!(pairs, [(2, 2), (3, 2), (3, 3)]);
}

#[test]
fn shards_and_threads_give_the_same_runs_in_the_same_order() {
    let whole = all(Explore::new(word(3, 5)));
    for of in [1, 2, 3, 7, 100] {
        let mut parts: Vec<_> = (1..=of).map(|i| all(Explore::new(word(3, 5)).shard(i, of))).collect();
        assert!(parts.iter().all(|part| part.is_sorted()));
        let mut joined: Vec<_> = parts.drain(..).flatten().collect();
        joined.sort();
        assert_eq!(joined, whole, "{of} shards");
    }
    for threads in [1, 2, 5] {
        let mut values = Vec::new();
        let summary = Explore::new(word(3, 5)).for_each_parallel(threads, |word| values.push(word));
        assert_eq!(values, whole);
        assert_eq!(summary.kept, whole.len() as u64);
        assert_eq!(summary.verdict, Verdict::Exhausted);
    }
    // A limit on runs cuts at the same place.
    let n_runs = Explore::new(word(3, 5)).for_each(drop).runs;
    for limit in [0, 1, 17, n_runs - 1, n_runs, n_runs + 1] {
        let mut expected = Explore::new(word(3, 5)).max_runs(limit).runs();
        let first: Vec<_> = expected.by_ref().collect();
        let mut values = Vec::new();
        let limited = Explore::new(word(3, 5)).max_runs(limit);
        let summary = limited.for_each_parallel(3, |word| values.push(word));
        assert_eq!((values, summary), (first, expected.summary()), "{limit}");
    }
    let breadth = all(Explore::new(word(2, 4)).breadth_first());
    let deep = |i| all(Explore::new(word(2, 4)).iterative_deepening().shard(i, 2));
    let wide = |i| all(Explore::new(word(2, 4)).breadth_first().shard(i, 2));
    assert_eq!((deep(1), deep(2)), (wide(1), wide(2)));
    assert_eq!(wide(1).len() + wide(2).len(), breadth.len());
}

#[test]
fn a_failing_run_is_reported_with_its_choices_and_can_be_replayed() {
    let program = |c: &mut Choices| {
        let x = c.int(0..=5);
        let y = c.int(0..=5);
        c.assert(x * y != 12)
    };
    let failure = Explore::new(program).check().failure.expect("3 * 4 is 12");
    assert_eq!(failure.path, [3, 4]);
    assert_eq!(failure.run, 3 * 6 + 4);
    assert!(failure.message.contains("choices.rs"), "{}", failure.message);
    assert_eq!(replay(&failure.path, program), None);

    let failure = Explore::new(|c: &mut Choices| assert!(c.int(0..=5) < 4, "too large")).check().failure;
    let failure = failure.expect("4 fails");
    assert_eq!((failure.path, failure.message.as_str()), (vec![4], "too large"));
    assert_eq!(Explore::new(|c: &mut Choices| c.bool()).check().failure, None);
}

#[test]
fn shortest_failure_first() {
    let program = |c: &mut Choices| {
        let mut n = 0;
        while c.bool() {
            n += c.int(1..=3);
            assert!(n < 5);
        }
    };
    let failure = Explore::new(program).breadth_first().check().failure.expect("5 is reached");
    assert_eq!(failure.path, [1, 1, 1, 2]);
}

#[test]
#[should_panic(expected = "not deterministic")]
fn a_program_that_depends_on_more_than_its_choices_is_reported() {
    let mut runs = 0;
    Explore::new(|c: &mut Choices| {
        runs += 1;
        c.choose(1 + runs);
        c.choose(2);
    })
    .for_each(|()| ());
}

#[test]
fn structured_choices_are_complete() {
    let subsets = all(Explore::new(|c: &mut Choices| Some(c.subset(&[1, 2, 3]))));
    assert_eq!(subsets.len(), 8);
    let permutations = all(Explore::new(|c: &mut Choices| Some(c.permutation(4))));
    assert_eq!(permutations.len(), 24);
    assert!(permutations.is_sorted_by(|a, b| a < b));
    let letters = all(Explore::new(|c: &mut Choices| Some(*c.pick_ref(&["a", "b"]))));
    assert_eq!(letters, ["a", "b"]);
    assert_eq!(all(Explore::new(|c: &mut Choices| Some(c.int::<i8>(..)))).len(), 256);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Trees of alternatives of arbitrary shape: a run per leaf, in order, from any strategy.
    #[test]
    fn every_leaf_of_any_tree_of_choices(fans in proptest::collection::vec(0_u64..4, 1..40)) {
        let program = |c: &mut Choices| {
            // The position decides the next number of alternatives, so the tree is irregular.
            let (mut at, mut leaf) = (0_usize, Vec::new());
            for _ in 0..5 {
                let fan = fans[at % fans.len()];
                if fan == 0 {
                    break;
                }
                let chosen = c.choose(fan);
                leaf.push(chosen);
                at = at * 3 + chosen as usize + 1;
            }
            Some(leaf)
        };
        let leaves = all(Explore::new(program));
        prop_assert!(leaves.is_sorted_by(|a, b| a < b));
        let mut breadth = all(Explore::new(program).breadth_first());
        prop_assert_eq!(&breadth, &all(Explore::new(program).iterative_deepening()));
        breadth.sort();
        prop_assert_eq!(&breadth, &leaves);
        let mut parallel = Vec::new();
        Explore::new(program).for_each_parallel(2, |leaf| parallel.push(leaf));
        prop_assert_eq!(&parallel, &leaves);
    }
}
