//! The elements of the page, and what happens to them.

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, Element, Event, EventTarget, Window};

pub(crate) fn window() -> Result<Window, JsValue> {
    web_sys::window().ok_or_else(|| "this is not a page".into())
}

pub(crate) fn document() -> Result<Document, JsValue> {
    window()?.document().ok_or_else(|| "this is not a page".into())
}

/// The element with this ID.
pub(crate) fn element<E: JsCast>(id: &str) -> Result<E, JsValue> {
    let element = document()?.get_element_by_id(id).and_then(|element| element.dyn_into().ok());
    element.ok_or_else(|| format!("the page has no #{id}").into())
}

/// Sets an attribute. The names are those of this program, and valid.
pub(crate) fn set(element: &Element, name: &str, value: &str) {
    let _ = element.set_attribute(name, value);
}

/// Adds an element at the end of another.
pub(crate) fn append(parent: &Element, tag: &str, class: &str) -> Result<Element, JsValue> {
    let element = document()?.create_element(tag)?;
    element.set_class_name(class);
    parent.append_child(&element)?;
    Ok(element)
}

/// Calls a function with each event of this type, for as long as the page is there.
pub(crate) fn listen<E>(
    target: &EventTarget,
    event_type: &str,
    mut listener: impl FnMut(E) + 'static,
) -> Result<(), JsValue>
where
    E: JsCast,
{
    let closure = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
        if let Ok(event) = event.dyn_into() {
            listener(event);
        }
    });
    target.add_event_listener_with_callback(event_type, closure.as_ref().unchecked_ref())?;
    closure.forget();
    Ok(())
}

/// A number as JavaScript writes it. Rust's own formatting of fractions would make the program larger.
pub(crate) fn number(value: f64) -> String {
    js_sys::Number::from(value).to_string_with_radix(10).map(String::from).unwrap_or_default()
}
