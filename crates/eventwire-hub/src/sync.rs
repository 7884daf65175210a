//! The locks: those of the standard library, or those of loom in its tests.

#[cfg(eventwire_loom)]
pub(crate) use loom::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard};
#[cfg(not(eventwire_loom))]
pub(crate) use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard};
