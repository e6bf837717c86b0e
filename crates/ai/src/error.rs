//! Why a model gave no answer.

/// An error of a model or of the way to it. What it says holds no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The environment does not say where a model is.
    #[error("{0}")]
    NotSet(String),
    /// The endpoint said no, and would say it again: a wrong key, an unknown model, a request that it does not take.
    #[error("{model} refused the request: HTTP {status}: {message}")]
    Refused { model: String, status: u16, message: String },
    /// It did not answer, however often it was asked.
    #[error("{model} gave no answer in {attempts} attempts: {last}")]
    Unavailable { model: String, attempts: u32, last: String },
    #[error("{model} gave no answer within {seconds} s: {last}")]
    Late { model: String, seconds: u64, last: String },
    /// The model does not want to.
    #[error("{model} declined: {message}")]
    Declined { model: String, message: String },
    /// The answer ends where the model had no room left.
    #[error("the answer of {model} was cut off at its token limit")]
    Cut { model: String },
}
