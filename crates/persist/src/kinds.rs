//! Values whose types only their senders and receivers know.

use crate::{Damage, Persist, Reader, Writer};
use std::any::{Any, type_name};
use std::collections::BTreeMap;

/// A value of any type that can be cloned, written and, where its type is one of a System's [`Kinds`], read again.
pub trait AnyValue: Any + Send + Sync {
    /// Another of the same.
    fn clone_value(&self) -> Box<dyn AnyValue>;
    /// Its type's name, by which [`Kinds`] know it.
    fn kind(&self) -> &'static str;
    /// Writes it, without its kind.
    fn save_value(&self, to: &mut Writer<'_>);
    /// To be told what it is.
    fn as_any(&self) -> &dyn Any;
    /// To be taken out.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<T: Clone + Persist + Send + Sync + 'static> AnyValue for T {
    fn clone_value(&self) -> Box<dyn AnyValue> {
        Box::new(self.clone())
    }

    fn kind(&self) -> &'static str {
        type_name::<T>()
    }

    fn save_value(&self, to: &mut Writer<'_>) {
        self.save(to);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl Clone for Box<dyn AnyValue> {
    fn clone(&self) -> Self {
        (**self).clone_value()
    }
}

impl Persist for Box<dyn AnyValue> {
    fn save(&self, to: &mut Writer<'_>) {
        let kind = (**self).kind();
        if to.knows_kind(kind) {
            kind.to_owned().save(to);
            (**self).save_value(to);
        } else {
            to.refuse(format!("a {kind}"));
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let kind = String::load(from)?;
        match from.kinds().0.get(kind.as_str()) {
            Some(load) => load(from),
            None => Err(Damage::Value { what: "a value of a kind of this System", found: kind }),
        }
    }
}

type Load = fn(&mut Reader<'_>) -> Result<Box<dyn AnyValue>, Damage>;

/// The types of values that are passed on in a System by who doesn't know them.
#[derive(Clone, Debug, Default)]
pub struct Kinds(BTreeMap<&'static str, Load>);

impl Kinds {
    /// One more.
    pub fn add<T: Clone + Persist + Send + Sync + 'static>(&mut self) {
        self.0.insert(type_name::<T>(), |from| Ok(Box::new(T::load(from)?)));
    }

    /// And all of others.
    pub fn extend(&mut self, others: &Self) {
        self.0.extend(&others.0);
    }

    pub(crate) fn knows(&self, kind: &str) -> bool {
        self.0.contains_key(kind)
    }
}
