//! The tests that see the crate as its users do.

mod naive;
mod routes;
mod streams;

mod differential;
