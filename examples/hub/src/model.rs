//! The model.

/// What it says, each word with the space after it. It does not understand the question.
pub(crate) fn words(question: &str) -> impl Iterator<Item = &str> {
    ["You ", "asked: "].into_iter().chain(question.split_inclusive(' ')).chain(ANSWER.split_inclusive(' '))
}

const ANSWER: &str = "\nThis answer is written word by word, and each word is an event with an ID. You can close this \
    stream and open it again: the words go on without you, and none is lost. If you come back with the last ID, you \
    get only what is new. If the process that you are connected to is killed, another one tells you the rest. To stop \
    me, delete the answer.";
