//! A global allocator that counts separately for each thread, so that tests that count can run in parallel.
#![allow(unsafe_code, reason = "`GlobalAlloc` is an unsafe trait")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

#[global_allocator]
static COUNTING: Counting = Counting;

struct Counting;

/// What a thread has allocated so far. Memory that another thread frees still counts as live.
#[derive(Clone, Copy)]
struct Count {
    allocations: u64,
    allocated: u64,
    live: usize,
    peak: usize,
}

thread_local! {
    // Initialised at compile time and never dropped, because the allocator must not allocate in order to count.
    static COUNT: Cell<Count> = const { Cell::new(Count { allocations: 0, allocated: 0, live: 0, peak: 0 }) };
}

/// What some work has requested from the allocator. All fields but the first are in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// The number of requests, including those for a larger or smaller block.
    pub(crate) allocations: u64,
    /// The sum of all requested sizes.
    pub(crate) allocated: u64,
    /// The maximum in use at one time, beyond what was in use before.
    pub(crate) peak: usize,
}

/// Does the work, and returns its result and what it requested from the allocator.
pub(crate) fn measure<T>(work: impl FnOnce() -> T) -> (T, Usage) {
    let before = begin();
    let result = work();
    (result, usage_since(before))
}

fn begin() -> Count {
    let before = COUNT.get();
    COUNT.set(Count { peak: before.live, ..before });
    before
}

fn usage_since(before: Count) -> Usage {
    let after = COUNT.get();
    COUNT.set(Count { peak: after.peak.max(before.peak), ..after });
    Usage {
        allocations: after.allocations - before.allocations,
        allocated: after.allocated - before.allocated,
        peak: after.peak - before.live,
    }
}

/// Returns the number of bytes that this thread has allocated and that are not freed.
pub(crate) fn live() -> usize {
    COUNT.get().live
}

fn grow(bytes: usize) {
    let mut count = COUNT.get();
    count.allocations += 1;
    count.allocated += u64::try_from(bytes).unwrap_or(u64::MAX);
    count.live += bytes;
    count.peak = count.peak.max(count.live);
    COUNT.set(count);
}

fn shrink(bytes: usize) {
    let mut count = COUNT.get();
    // This thread may free memory that another thread has allocated.
    count.live = count.live.saturating_sub(bytes);
    COUNT.set(count);
}

// SAFETY: every call is passed on unchanged to the system's allocator. Counting touches no memory except the thread's
// own cell.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        shrink(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The old and the new memory may both exist for a moment.
        grow(size);
        shrink(layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[test]
fn what_is_counted() {
    let before = live();
    let (vec, usage) = measure(|| {
        let mut vec: Vec<u8> = Vec::with_capacity(1000);
        vec.reserve_exact(3000);
        vec
    });
    assert_eq!((usage.allocations, usage.allocated, usage.peak), (2, 4000, 4000));
    assert_eq!(live(), before + 3000);
    drop(vec);
    assert_eq!(live(), before);
    assert_eq!(measure(|| ()).1.allocations, 0);
}
