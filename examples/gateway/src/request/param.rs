//! A parameter of a request.

use serde_json::Value;

use crate::api_error::ApiError;

/// A value in the body, which may be missing, and its path for error messages.
///
/// A null counts as missing, because some clients send it instead of leaving a parameter out.
pub(crate) struct Param<'p> {
    path: String,
    value: Option<&'p Value>,
}

impl<'p> Param<'p> {
    pub(super) fn new(path: String, value: Option<&'p Value>) -> Param<'p> {
        Param { path, value: value.filter(|value| !value.is_null()) }
    }

    /// Returns a member of this object, such as `messages[0].role`.
    pub(crate) fn member(&self, name: &str) -> Result<Param<'p>, ApiError> {
        match self.required()? {
            Value::Object(object) => Ok(Param::new(format!("{}.{name}", self.path), object.get(name))),
            other => Err(self.is_not("an object", other)),
        }
    }

    /// Returns the elements of this array: `messages[0]`, `messages[1]`, ...
    pub(crate) fn elements(&self) -> Result<impl Iterator<Item = Param<'p>>, ApiError> {
        match self.required()? {
            Value::Array(elements) => {
                let param = |(index, element)| Param::new(format!("{}[{index}]", self.path), Some(element));
                Ok(elements.iter().enumerate().map(param))
            }
            other => Err(self.is_not("an array", other)),
        }
    }

    pub(crate) fn text(&self) -> Result<&'p str, ApiError> {
        match self.required()? {
            Value::String(text) => Ok(text),
            other => Err(self.is_not("a string", other)),
        }
    }

    /// Returns the value, or false if it is missing.
    pub(super) fn flag(&self) -> Result<bool, ApiError> {
        match self.value {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(self.is_not("a boolean", other)),
        }
    }

    pub(super) fn count(&self) -> Result<Option<u64>, ApiError> {
        let Some(value) = self.value else { return Ok(None) };
        match value.as_u64() {
            Some(count) => Ok(Some(count)),
            None if value.is_number() => Err(self.must("be a whole number and not negative")),
            None => Err(self.is_not("a whole number", value)),
        }
    }

    pub(crate) fn value(&self) -> Option<&'p Value> {
        self.value
    }

    pub(crate) fn required(&self) -> Result<&'p Value, ApiError> {
        self.value.ok_or_else(|| ApiError::missing(&self.path))
    }

    /// Returns the error for a value of the wrong type.
    pub(crate) fn is_not(&self, expected: &str, found: &Value) -> ApiError {
        ApiError::wrong_type(&self.path, expected, kind(found))
    }

    /// Returns the error for a value of the right type that is not allowed.
    pub(crate) fn must(&self, what: &str) -> ApiError {
        ApiError::wrong_value(&self.path, what)
    }
}

/// Returns the type of a value, in words.
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
