//! The smallest program around a decoder, without wasm-bindgen: it accepts bytes, and passes the fields of each event
//! to a callback.

use eventwire::Decoder;

/// Called with the type, the data and the ID of an event, each as a pointer and a length.
type OnEvent = extern "C" fn(*const u8, usize, *const u8, usize, *const u8, usize);

#[unsafe(no_mangle)]
pub extern "C" fn decoder() -> *mut Decoder {
    Box::into_raw(Box::new(Decoder::new()))
}

/// Decodes `len` bytes. Returns whether an event was too large.
///
/// # Safety
///
/// `decoder` must come from [`decoder`], and `bytes` must point to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode(decoder: *mut Decoder, bytes: *const u8, len: usize, on_event: OnEvent) -> bool {
    // SAFETY: the caller guarantees it, as documented above.
    let (decoder, mut input) = unsafe { (&mut *decoder, core::slice::from_raw_parts(bytes, len)) };
    loop {
        match decoder.decode(&mut input) {
            Ok(Some(event)) => {
                let [event_type, data, id] = [event.event_type(), event.data(), event.last_event_id()];
                on_event(event_type.as_ptr(), event_type.len(), data.as_ptr(), data.len(), id.as_ptr(), id.len());
            }
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}
