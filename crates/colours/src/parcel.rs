//! A value of any type, as whoever passes it on holds it.

use std::any::Any;
use std::fmt;

/// What a parcel can hold: any value that can be cloned, as a marking that is forked clones its tokens.
trait Content: Any + Send + Sync {
    fn clone_content(&self) -> Box<dyn Content>;
    fn as_any(&self) -> &dyn Any;
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<T: Any + Clone + Send + Sync> Content for T {
    fn clone_content(&self) -> Box<dyn Content> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// A value that goes with a token, of which only its sender and its receiver know what it is.
///
/// ```
/// use petrio_colours::Parcel;
/// let parcel = Parcel::new(Box::new("a request".to_owned()));
/// assert_eq!(parcel.get::<String>().map(String::len), Some(9));
/// assert_eq!(parcel.open::<String>().as_deref().map(String::as_str), Some("a request"));
/// ```
pub struct Parcel(Box<dyn Content>);

impl Parcel {
    /// A parcel of a value, which stays where it lies.
    pub fn new<T: Any + Clone + Send + Sync>(content: Box<T>) -> Self {
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

impl Clone for Parcel {
    fn clone(&self) -> Self {
        Self((*self.0).clone_content())
    }
}

impl fmt::Debug for Parcel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a parcel")
    }
}
