//! What each connection gets.

use std::num::NonZeroU64;
use std::sync::Arc;

use anyhow::bail;
use eventwire_test::internal::Faults;
use eventwire_test::{Resume, Script};

/// Which answer a connection gets, and what is changed about it. What the options do not say is as in the file.
pub(super) struct Plan {
    /// How the stream is sent to all connections.
    pub(super) manner: Faults,
    pub(super) fault: Fault,
    /// How many connections have the fault. `None`: all of them.
    pub(super) times: Option<NonZeroU64>,
    /// After how many connections there is no content.
    pub(super) no_content_after: Option<u64>,
}

/// What is wrong with an answer.
pub(super) enum Fault {
    /// Another answer is sent.
    Instead(Box<Script>),
    /// The answer of the file is changed.
    Changed { faults: Faults, headers: Vec<(String, String)> },
}

impl Plan {
    /// Returns what the connection with this number gets, from 0. The answers are those of the file, at least one.
    pub(super) fn script(
        &self,
        number: u64,
        answers: impl FnOnce() -> anyhow::Result<Arc<[Script]>>,
    ) -> anyhow::Result<Script> {
        if self.no_content_after.is_some_and(|after| number >= after) {
            return Ok(Script::status(204));
        }
        let has_fault = self.times.is_none_or(|times| number < times.get());
        // Which answer of the file it is. None of them is used up by one that was sent instead.
        let place = match &self.fault {
            Fault::Instead(script) if has_fault => return Ok(Script::clone(script)),
            Fault::Instead(_) => number - self.times.map_or(0, NonZeroU64::get),
            Fault::Changed { .. } => number,
        };
        let answers = answers()?;
        let place = usize::try_from(place).unwrap_or(usize::MAX).min(answers.len() - 1);
        let mut script = answers[place].clone();
        self.change(&mut script, number, answers.len() == 1, has_fault);
        Ok(script)
    }

    /// Checks that these answers can be sent so.
    pub(super) fn check(&self, answers: &[Script]) -> anyhow::Result<()> {
        for script in answers {
            let mut script = script.clone();
            if !is_encoded(&mut script) {
                continue;
            }
            self.change(&mut script, 0, answers.len() == 1, true);
            let Faults { cut_after, resume, keep_alive, garbage, .. } = script.faults_mut();
            if cut_after.is_some_and(|place| place.events > 0)
                || resume.is_some_and(|resume| resume != Resume::Ignore)
                || keep_alive.is_some()
                || garbage.is_some()
            {
                bail!(
                    "the body is compressed, so its events cannot be counted, resumed or spoiled, and no keep-alives be \
                     sent; use --cut-after with bytes such as 100b, or record the stream without compression"
                );
            }
        }
        Ok(())
    }

    fn change(&self, script: &mut Script, number: u64, is_only: bool, has_fault: bool) {
        let is_encoded = is_encoded(script);
        // Of several answers, the next one is what the server sent to a client that came again.
        let resume = (is_only && !is_encoded).then_some(Resume::Exact);
        let in_file = *script.faults_mut();
        let mut faults = self.manner.or(in_file).or(Faults { resume, ..Faults::default() });
        faults.seed = Some(faults.seed.unwrap_or(0).wrapping_add(number));
        *script.faults_mut() = faults;
        let Fault::Changed { faults: more, headers } = &self.fault else { return };
        if !has_fault {
            return;
        }
        *script.faults_mut() = more.or(faults);
        if let Some((_, all)) = script.head_mut() {
            all.retain(|(name, _)| !headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)));
            all.extend(headers.iter().cloned());
        }
    }
}

/// Returns whether the body of an answer is compressed.
fn is_encoded(script: &mut Script) -> bool {
    script.head_mut().is_some_and(|(_, headers)| {
        headers.iter().any(|(name, value)| {
            name.eq_ignore_ascii_case("content-encoding") && !value.trim().eq_ignore_ascii_case("identity")
        })
    })
}
