//! The kinds of parts in a talk.

use eventwire_multipart::Part;
use eventwire_web::Body;

/// Determines how a part is shown.
pub(crate) enum PartKind {
    Text,
    Sound,
    Calls,
    /// An image of this type.
    Drawing(String),
    Other,
}

impl PartKind {
    pub(crate) fn of(part: &Part<'_, Body>) -> PartKind {
        match part.media_type() {
            Some(media_type) if media_type.is("text/plain") => PartKind::Text,
            Some(media_type) if media_type.is("audio/wav") => PartKind::Sound,
            Some(media_type) if media_type.is("application/json") => PartKind::Calls,
            Some(media_type) if media_type.essence().starts_with(b"image/") => {
                PartKind::Drawing(str::from_utf8(media_type.essence()).unwrap_or_default().to_owned())
            }
            _ => PartKind::Other,
        }
    }
}
