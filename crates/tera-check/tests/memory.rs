//! The memory guard in a test binary that has it as its allocator.
#![cfg(unix)]

use std::sync::Mutex;

use tera_check::memory::{self, Faults, State, Step};

#[global_allocator]
static GUARD: memory::GuardAlloc = memory::GuardAlloc;

/// The arena belongs to one worker thread; tests take turns.
static TURN: Mutex<()> = Mutex::new(());

fn guarded(f: impl FnOnce()) -> Faults {
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    assert!(memory::reserve(64 << 20));
    memory::arm(Step::Call);
    f();
    memory::finish_input()
}

#[test]
fn what_is_freed_once_is_clean() {
    let faults = guarded(|| {
        let mut all: Vec<Box<u64>> = (0..100).map(Box::new).collect();
        all.truncate(50);
        all.extend((0..100).map(Box::new));
        let text = "some text".repeat(100);
        assert_eq!(text.len(), 900);
    });
    assert!(faults.is_clean(), "{faults:?}");
}

#[test]
fn no_address_is_handed_out_twice_during_an_input() {
    guarded(|| {
        let first = Box::into_raw(Box::new(1u64));
        drop(unsafe { Box::from_raw(first) });
        let second = Box::into_raw(Box::new(2u64));
        assert_ne!(first, second);
        let freed = memory::block_at(first as usize).unwrap();
        assert_eq!((freed.state, freed.size), (State::Freed(Step::Call), 8));
        assert_eq!(memory::block_at(second as usize + 7).unwrap().state, State::Live);
        assert_eq!(memory::block_at(&first as *const _ as usize), None, "the stack is not a block");
        drop(unsafe { Box::from_raw(second) });
    });
}

#[test]
fn a_leak_names_the_block() {
    let faults = guarded(|| std::mem::forget(std::hint::black_box(Box::new([7u32; 5]))));
    assert_eq!(faults.live.len(), 1);
    assert_eq!((faults.live[0].size, faults.live[0].allocated), (20, Step::Call));
}

#[test]
fn a_leaked_block_is_never_handed_out_again() {
    let mut leaked = std::ptr::null();
    guarded(|| leaked = std::hint::black_box(Box::leak(Box::new(5u64))) as *const u64);
    guarded(|| {
        for i in 0..1000u64 {
            let other = std::hint::black_box(Box::new(i));
            assert_ne!(&*other as *const u64, leaked);
        }
    });
    assert_eq!(unsafe { *leaked }, 5);
    // It may still be freed, at leisure.
    drop(unsafe { Box::from_raw(leaked.cast_mut()) });
}

#[test]
fn a_double_free_is_noted_and_does_no_harm() {
    let faults = guarded(|| {
        let block = std::hint::black_box(Box::into_raw(Box::new(1u16)));
        drop(unsafe { Box::from_raw(block) });
        drop(unsafe { Box::from_raw(block) });
    });
    assert_eq!(faults.double_frees.len(), 1);
    assert_eq!(faults.double_frees[0].size, 2);
}

#[test]
fn a_free_of_what_is_no_block_is_noted() {
    let faults = guarded(|| {
        let block = std::hint::black_box(Box::into_raw(Box::new([1u64; 4])));
        drop(unsafe { Box::from_raw(std::hint::black_box(block.cast::<u64>().add(1))) });
        drop(unsafe { Box::from_raw(block) });
    });
    assert_eq!(faults.wild_frees.len(), 1);
}

#[test]
fn a_write_into_a_freed_block_is_noted() {
    let faults = guarded(|| {
        let block = Box::into_raw(Box::new([0u64; 2]));
        drop(unsafe { Box::from_raw(block) });
        unsafe { std::ptr::write_volatile(block.cast::<u64>().add(1), 9) };
    });
    assert_eq!(faults.writes_after_free.len(), 1);
}

#[test]
fn the_budget_of_an_input_is_kept() {
    let faults = guarded(|| {
        let mut v: Vec<u8> = Vec::new();
        assert!(v.try_reserve_exact(65 << 20).is_err());
        assert!(v.try_reserve_exact(1 << 20).is_ok());
    });
    assert!(faults.is_clean());
}
