//! What a tool answers.
use std::marker::PhantomData;

use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;

/// An answer, as text and as the same object.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) object: Value,
}

/// The answer that a `T` is printed as.
pub(crate) struct Printed<T>(Answer, PhantomData<fn() -> T>);

impl<T> Printed<T> {
    /// One that was printed before.
    pub(crate) fn again(answer: Answer) -> Self {
        Self(answer, PhantomData)
    }

    pub(crate) fn into_answer(self) -> Answer {
        self.0
    }
}

impl<T: Serialize> Printed<T> {
    pub(crate) fn of(output: &T) -> Result<Self, Failure> {
        let text = serde_json::to_string(output).map_err(Failure::internal)?;
        let object = serde_json::to_value(output).map_err(Failure::internal)?;
        Ok(Self::again(Answer { text, object }))
    }
}
