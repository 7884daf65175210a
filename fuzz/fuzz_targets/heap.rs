//! An allocator that counts the allocated bytes.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering},
};

pub struct Heap {
    live: AtomicUsize,
}

impl Heap {
    pub const fn new() -> Heap {
        Heap { live: AtomicUsize::new(0) }
    }

    /// Returns the number of bytes that are allocated now.
    pub fn live(&self) -> usize {
        self.live.load(Ordering::Relaxed)
    }
}

// SAFETY: all calls are passed on to the system's allocator; this type only counts.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.live.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        self.live.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller upholds the same contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}
