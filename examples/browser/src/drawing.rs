//! The drawing of a talk.

use std::cell::RefCell;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsValue;
use web_sys::{Blob, BlobPropertyBag, HtmlImageElement, Url};

use crate::dom;

pub(crate) struct Drawing {
    image: HtmlImageElement,
    /// The URL of the image that is shown. Until it is revoked, the browser keeps the image.
    url: RefCell<Option<String>>,
}

impl Drawing {
    pub(crate) fn new() -> Result<Drawing, JsValue> {
        Ok(Drawing { image: dom::element("talk-drawing")?, url: RefCell::default() })
    }

    /// Shows an image in place of the last one.
    pub(crate) fn show(&self, bytes: &[u8], media_type: &str) -> Result<(), JsValue> {
        let options = BlobPropertyBag::new();
        options.set_type(media_type);
        let blob = Blob::new_with_u8_array_sequence_and_options(&Array::of1(&Uint8Array::from(bytes)), &options)?;
        let url = Url::create_object_url_with_blob(&blob)?;
        self.image.set_src(&url);
        self.image.set_hidden(false);
        self.revoke(Some(url));
        Ok(())
    }

    /// Shows none.
    pub(crate) fn clear(&self) {
        self.image.set_hidden(true);
        let _ = self.image.remove_attribute("src");
        self.revoke(None);
    }

    fn revoke(&self, next: Option<String>) {
        if let Some(url) = self.url.replace(next) {
            let _ = Url::revoke_object_url(&url);
        }
    }
}
