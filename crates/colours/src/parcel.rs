//! A value of any type, as whoever passes it on holds it.

use petrio_persist::{AnyValue, Persist};
use std::any::Any;
use std::fmt;

/// A value that goes with a token, of which only its sender and its receiver know what it is.
///
/// ```
/// use petrio_colours::Parcel;
/// let parcel = Parcel::new(Box::new("a request".to_owned()));
/// assert_eq!(parcel.get::<String>().map(String::len), Some(9));
/// assert_eq!(parcel.open::<String>().as_deref().map(String::as_str), Some("a request"));
/// ```
#[derive(Clone, Persist)]
pub struct Parcel(Box<dyn AnyValue>);

impl Parcel {
    /// A parcel of a value, which stays where it lies.
    pub fn new<T: Clone + Persist + Send + Sync + 'static>(content: Box<T>) -> Self {
        Self(content)
    }

    /// The value, if it is of this type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        (*self.0).as_any().downcast_ref()
    }

    /// The value, taken out, if it is of this type.
    pub fn open<T: Any>(self) -> Option<Box<T>> {
        self.0.into_any().downcast().ok()
    }
}

impl fmt::Debug for Parcel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a parcel")
    }
}
