//! Every way in which an input can take its process down is that input's verdict, and the run
//! goes on.
#![cfg(unix)]

use std::ops::ControlFlow;
use std::time::Duration;

use tera_check::guard::{self, Command, Death, Event, Executor, Limits, Note, Phase, Worker};

/// More than a busy machine takes from a process that is about to die.
const LIMITS: Limits = Limits { time: Duration::from_secs(1), memory: 64 << 20, stack: 1 << 20 };
/// Of one that waits, the wall is asked, and ten times as long.
const SHORT: Limits = Limits { time: Duration::from_millis(300), ..LIMITS };

struct Mischief;

impl Executor for Mischief {
    fn run(&mut self, input: &[u64], detail: bool, note: Note<'_>) -> Option<String> {
        note.phase(Phase::Call);
        match guard::catch(|| mischief(input[0])) {
            Ok(sum) => (sum == 7).then(|| format!("seven{}", if detail { " in detail" } else { "" })),
            Err(panic) => Some(format!("panic {}", panic.message)),
        }
    }
}

fn mischief(kind: u64) -> u64 {
    match kind {
        0 => 0,
        1 => panic!("input one"),
        2 => loop {
            std::hint::spin_loop();
        },
        3 => std::process::abort(),
        4 => deep(u64::MAX),
        5 => std::process::exit(3),
        6 => {
            let mut all = Vec::new();
            loop {
                all.push(vec![1u8; 4 << 20]);
                std::hint::black_box(&all);
            }
        }
        7 => unsafe { std::ptr::without_provenance::<u64>(0x1000).read_volatile() },
        8 => {
            struct Bomb;
            impl Drop for Bomb {
                fn drop(&mut self) {
                    panic!("while unwinding");
                }
            }
            let _bomb = Bomb;
            panic!("first")
        }
        9 => 7,
        10 => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        _ => 1,
    }
}

fn deep(n: u64) -> u64 {
    let frame = [n; 32];
    std::hint::black_box(&frame);
    if n == 0 { 0 } else { deep(n - 1) + std::hint::black_box(frame)[3] }
}

fn run(test: &str, inputs: &[u64], detail: bool, limits: Limits) -> (Vec<(usize, Event)>, u64) {
    if guard::worker_path().is_some() {
        guard::serve(limits, || Ok(Mischief));
    }
    let dir = tempfile::tempdir().unwrap();
    let command = Command::this_test(test).unwrap();
    let mut worker = Worker::new(command, limits, dir.path(), "w", 1024).unwrap();
    let mut events = Vec::new();
    worker
        .run(inputs, 1, 0, detail, &mut |index, event| {
            events.push((index, event));
            ControlFlow::Continue(())
        })
        .unwrap();
    (events, worker.started)
}

fn died(event: &Event) -> Option<&Death> {
    match event {
        Event::Died { death, phase: Phase::Call, .. } => Some(death),
        _ => None,
    }
}

#[test]
fn every_death_is_the_verdict_of_its_input() {
    let inputs = [0, 1, 2, 0, 3, 4, 5, 6, 7, 8, 9, 0];
    let (events, started) = run("every_death_is_the_verdict_of_its_input", &inputs, false, LIMITS);
    let at: Vec<usize> = events.iter().map(|e| e.0).collect();
    assert_eq!(at, [1, 2, 4, 5, 6, 7, 8, 9, 10], "{events:#?}");
    assert_eq!(events[0].1, Event::Reported("panic input one".into()));
    assert_eq!(died(&events[1].1), Some(&Death::Hang { seconds: 1.0 }));
    assert_eq!(died(&events[2].1), Some(&Death::Abort { message: String::new() }));
    assert_eq!(died(&events[3].1), Some(&Death::StackOverflow));
    assert_eq!(died(&events[4].1), Some(&Death::Exit { code: 3 }));
    assert!(matches!(died(&events[5].1), Some(Death::OutOfMemory { .. })), "{:?}", events[5]);
    assert_eq!(died(&events[6].1), Some(&Death::Segfault { address: 0x1000 }));
    let Some(Death::Abort { message }) = died(&events[7].1) else { panic!("{:?}", events[7]) };
    assert!(message.contains("while unwinding"), "{message}");
    assert_eq!(events[8].1, Event::Reported("seven".into()));
    assert_eq!(started, 8, "one process, and one more after each death");
}

#[test]
fn an_input_that_only_waits_is_a_hang_too() {
    let (events, _) = run("an_input_that_only_waits_is_a_hang_too", &[0, 10, 9], true, SHORT);
    assert_eq!(died(&events[0].1), Some(&Death::Hang { seconds: 0.3 }));
    assert_eq!(events[1], (2, Event::Reported("seven in detail".into())));
}

#[test]
fn inputs_that_pass_cost_next_to_nothing() {
    if guard::worker_path().is_some() {
        guard::serve(LIMITS, || Ok(Mischief));
    }
    let dir = tempfile::tempdir().unwrap();
    let command = Command::this_test("inputs_that_pass_cost_next_to_nothing").unwrap();
    let mut worker = Worker::new(command, LIMITS, dir.path(), "w", 1 << 20).unwrap();
    let inputs = vec![0; 1 << 20];
    let start = std::time::Instant::now();
    for _ in 0..4 {
        worker.run(&inputs, 1, 0, false, &mut |_, event| panic!("{event:?}")).unwrap();
    }
    // Some nanoseconds each; the bound leaves room for an unoptimized build on a busy machine.
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert_eq!(worker.started, 1);
}

#[test]
fn a_worker_that_cannot_start_says_why() {
    if guard::worker_path().is_some() {
        guard::serve(LIMITS, || Err::<Mischief, _>("no such\nspecification".into()));
    }
    let dir = tempfile::tempdir().unwrap();
    let command = Command::this_test("a_worker_that_cannot_start_says_why").unwrap();
    let mut worker = Worker::new(command, LIMITS, dir.path(), "w", 16).unwrap();
    let error = worker.run(&[0], 1, 0, false, &mut |_, _| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(error.to_string(), "no such\nspecification");
}
