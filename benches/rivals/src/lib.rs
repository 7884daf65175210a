//! What the benchmarks share: the corpora, the race and the table. Each benchmark is a program of its own, because the
//! optimizer treats code differently if more of a program uses it.

#[path = "../../consume.rs"]
pub mod consume;
#[path = "../../corpora.rs"]
pub mod corpora;
pub mod head;
pub mod options;
#[path = "../../part_corpora.rs"]
pub mod part_corpora;
pub mod race;
pub mod table;
