//! A parameter of a request.

use serde_json::Value;

use super::error::ApiError;

/// A value in the body, if it is there, and where it stands, to be said if it is not what it should be.
///
/// A null is no value: clients write it for what they leave out.
pub(super) struct Param<'p> {
    path: String,
    value: Option<&'p Value>,
}

impl<'p> Param<'p> {
    pub(super) fn new(path: String, value: Option<&'p Value>) -> Param<'p> {
        Param { path, value: value.filter(|value| !value.is_null()) }
    }

    /// A member of this object: `messages[0].role`.
    pub(super) fn member(&self, name: &str) -> Result<Param<'p>, ApiError> {
        match self.required()? {
            Value::Object(object) => Ok(Param::new(format!("{}.{name}", self.path), object.get(name))),
            other => Err(self.is_not("an object", other)),
        }
    }

    /// The elements of this array: `messages[0]`, `messages[1]`, ...
    pub(super) fn elements(&self) -> Result<impl Iterator<Item = Param<'p>>, ApiError> {
        match self.required()? {
            Value::Array(elements) => {
                let place = |(place, element)| Param::new(format!("{}[{place}]", self.path), Some(element));
                Ok(elements.iter().enumerate().map(place))
            }
            other => Err(self.is_not("an array", other)),
        }
    }

    pub(super) fn text(&self) -> Result<&'p str, ApiError> {
        match self.required()? {
            Value::String(text) => Ok(text),
            other => Err(self.is_not("a string", other)),
        }
    }

    /// False where it is not given.
    pub(super) fn flag(&self) -> Result<bool, ApiError> {
        match self.value {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(self.is_not("a boolean", other)),
        }
    }

    /// A whole number that is not negative.
    pub(super) fn count(&self) -> Result<Option<usize>, ApiError> {
        let Some(value) = self.value else { return Ok(None) };
        match value.as_u64() {
            // What does not fit is more than anything there is to be counted.
            Some(count) => Ok(Some(usize::try_from(count).unwrap_or(usize::MAX))),
            None if value.is_number() => Err(self.must("be a whole number that is not negative")),
            None => Err(self.is_not("a whole number", value)),
        }
    }

    pub(super) fn value(&self) -> Option<&'p Value> {
        self.value
    }

    pub(super) fn required(&self) -> Result<&'p Value, ApiError> {
        self.value.ok_or_else(|| ApiError::missing(&self.path))
    }

    /// The error that it is of the wrong type.
    pub(super) fn is_not(&self, expected: &str, found: &Value) -> ApiError {
        ApiError::wrong_type(&self.path, expected, kind(found))
    }

    /// The error that it is of the right type, and cannot be taken all the same.
    pub(super) fn must(&self, what: &str) -> ApiError {
        ApiError::wrong_value(&self.path, what)
    }
}

/// What sort of value it is, in words.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
