//! talk
mod drawing;
mod log;
mod passages;
mod root_cause;
mod sound;
mod speaker;
mod speech;
mod tones;

pub use self::{
    sound::{InvalidWav, Sound},
    speaker::Speaker,
};
