//! Asks a model something.
