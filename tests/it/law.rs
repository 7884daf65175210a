//! Laws, which are tested in many generated cases.

use crate::stream_generator::Random;
use proptest::{
    arbitrary::any,
    collection::vec,
    test_runner::{Config, TestError, TestRunner},
};
use std::panic::Location;

/// Checks a law in so many cases, each generated from other choices.
///
/// The law fails by panicking. proptest then looks for fewer and smaller choices with which it still fails. It does not
/// know what they mean, so all laws share one strategy, and one copy of its code.
///
/// proptest also writes a seed to a file. The seed means another case as soon as a generator changes, so write an example
/// of the printed case instead, as in `generated_streams::what_has_failed_before`.
#[track_caller]
pub(crate) fn check(cases: u32, law: impl Fn(&mut Random)) {
    check_dyn(cases, Location::caller().file(), &law);
}

fn check_dyn(cases: u32, file: &'static str, law: &dyn Fn(&mut Random)) {
    let config = Config { cases, source_file: Some(file), max_shrink_iters: 10_000, ..Config::default() };
    let outcome = TestRunner::new(config).run(&vec(any::<u32>(), 0..1500), |choices| {
        law(&mut Random::Chosen(choices.into_iter()));
        Ok(())
    });
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(_, choices)) => {
            // Its own message says what is wrong.
            eprintln!("the smallest case:");
            law(&mut Random::Shown(choices.into_iter()));
            panic!("the law has failed before");
        }
        Err(error) => panic!("{error}"),
    }
}
