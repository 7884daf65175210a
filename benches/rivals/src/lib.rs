//! What the benchmarks share: the corpora, the race and the table.
//!
//! Each benchmark is a program of its own, and contains the code that it measures: with all of them in one crate, the
//! optimizer inlined less, and one rival took 2.4 times the instructions.

#[path = "../../consume.rs"]
pub mod consume;
#[path = "../../corpora.rs"]
pub mod corpora;
mod head;
pub mod options;
#[path = "../../parts/corpora.rs"]
pub mod part_corpora;
pub mod race;
pub mod table;
