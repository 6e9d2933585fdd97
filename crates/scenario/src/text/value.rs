//! A table as serde reads it: by reference, and with little that is compiled for each type that is read, of which there are hundreds.

use crate::text::tree::Value;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::fmt;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// What is wrong with a value, and where as far as that is known.
#[derive(Clone, Debug)]
pub(super) struct Complaint {
    pub(super) message: String,
    pub(super) at: Option<Range<usize>>,
}

impl Complaint {
    fn at(mut self, span: &Range<usize>) -> Self {
        self.at.get_or_insert_with(|| span.clone());
        self
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Complaint {}

impl serde::de::Error for Complaint {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { message: message.to_string(), at: None }
    }
}

/// What is read, and where it stands.
pub(super) struct Reading<'de> {
    content: Content<'de>,
    span: Range<usize>,
}

enum Content<'de> {
    Table(&'de DeTable<'de>),
    List(&'de [Value<'de>]),
    Text(&'de str),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Bool(bool),
    /// What no key takes.
    Other(&'static str),
}

impl<'de> Reading<'de> {
    pub(super) fn table(table: &'de DeTable<'de>, span: Range<usize>) -> Self {
        Self { content: Content::Table(table), span }
    }

    fn value(value: &'de Value<'de>) -> Self {
        let content = match value.get_ref() {
            DeValue::String(text) => Content::Text(text),
            DeValue::Integer(number) => {
                let (digits, radix) = (number.as_str(), number.radix());
                i64::from_str_radix(digits, radix)
                    .map(Content::Signed)
                    .or_else(|_| u64::from_str_radix(digits, radix).map(Content::Unsigned))
                    .unwrap_or(Content::Other("an integer of more than 64 bits"))
            }
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(value) if value.is_finite() || number.as_str().contains(['i', 'n']) => {
                    Content::Float(value)
                }
                _ => Content::Other("a number that is too large"),
            },
            DeValue::Boolean(is_so) => Content::Bool(*is_so),
            DeValue::Datetime(_) => Content::Other("a date"),
            DeValue::Array(items) => Content::List(items),
            DeValue::Table(entries) => Content::Table(entries),
        };
        Self { content, span: value.span() }
    }
}

impl<'de> Deserializer<'de> for Reading<'de> {
    type Error = Complaint;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Complaint> {
        let read = match self.content {
            Content::Table(entries) => visitor.visit_map(Entries { rest: entries.iter(), value: None }),
            Content::List(items) => visitor.visit_seq(Items(items.iter())),
            Content::Text(text) => visitor.visit_borrowed_str(text),
            Content::Signed(number) => visitor.visit_i64(number),
            Content::Unsigned(number) => visitor.visit_u64(number),
            Content::Float(number) => visitor.visit_f64(number),
            Content::Bool(is_so) => visitor.visit_bool(is_so),
            Content::Other(what) => Err(Complaint::invalid_type(Unexpected::Other(what), &visitor)),
        };
        read.map_err(|complaint| complaint.at(&self.span))
    }

    // What is left out isn'de read at all: what is there is there.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Complaint> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Complaint> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Complaint> {
        let read = match self.content {
            Content::Text(name) => visitor.visit_enum(name.into_deserializer()),
            Content::Table(entries) => match (entries.len(), entries.iter().next()) {
                (1, Some((name, value))) => visitor.visit_enum(Variant { name, value }),
                (0, _) => Err(Complaint::custom("wanted exactly 1 element, found 0 elements")),
                _ => Err(Complaint::custom("wanted exactly 1 element, more than 1 element")),
            },
            _ => Err(Complaint::custom("wanted string or table")),
        };
        read.map_err(|complaint| complaint.at(&self.span))
    }

    forward_to_deserialize_any! {
        bool u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 char str string seq bytes byte_buf map struct unit ignored_any unit_struct
        tuple_struct tuple identifier
    }
}

/// The entries of a table.
struct Entries<'de, I> {
    rest: I,
    value: Option<&'de Value<'de>>,
}

type Key<'de> = toml::Spanned<toml::de::DeString<'de>>;

impl<'de, I: Iterator<Item = (&'de Key<'de>, &'de Value<'de>)>> MapAccess<'de> for Entries<'de, I> {
    type Error = Complaint;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Complaint> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        self.value = Some(value);
        let name: StrDeserializer<'_, Complaint> = key.get_ref().as_ref().into_deserializer();
        seed.deserialize(name).map(Some).map_err(|complaint| complaint.at(&key.span()))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Complaint> {
        match self.value.take() {
            Some(value) => {
                seed.deserialize(Reading::value(value)).map_err(|complaint| complaint.at(&value.span()))
            }
            None => Err(Complaint::custom("a value before its key")),
        }
    }
}

/// The items of a list.
struct Items<'de>(std::slice::Iter<'de, Value<'de>>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Complaint;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Complaint> {
        self.0.next().map(|item| seed.deserialize(Reading::value(item))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// A variant with a value: a table of one entry.
struct Variant<'de> {
    name: &'de Key<'de>,
    value: &'de Value<'de>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Complaint;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Complaint> {
        let name: StrDeserializer<'_, Complaint> = self.name.get_ref().as_ref().into_deserializer();
        let named = seed.deserialize(name).map_err(|complaint| complaint.at(&self.name.span()))?;
        Ok((named, self))
    }
}

impl<'de> Variant<'de> {
    fn complaint(&self, message: impl fmt::Display) -> Complaint {
        Complaint::custom(message).at(&self.value.span())
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Complaint;

    fn unit_variant(self) -> Result<(), Complaint> {
        match self.value.get_ref() {
            DeValue::Array(items) if items.is_empty() => Ok(()),
            DeValue::Table(entries) if entries.is_empty() => Ok(()),
            DeValue::Array(_) => Err(self.complaint("expected empty array")),
            DeValue::Table(_) => Err(self.complaint("expected empty table")),
            other => Err(self.complaint(format_args!("expected table, found {}", other.type_str()))),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Complaint> {
        seed.deserialize(Reading::value(self.value))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Complaint> {
        match self.value.get_ref() {
            DeValue::Array(items) if items.len() == length => {
                Reading::value(self.value).deserialize_any(visitor)
            }
            _ => Err(self.complaint(format_args!("expected tuple with length {length}"))),
        }
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Complaint> {
        if let DeValue::Table(entries) = self.value.get_ref() {
            let extra: Vec<_> =
                entries.keys().filter(|key| !fields.contains(&key.get_ref().as_ref())).collect();
            if let Some(first) = extra.first() {
                let names: Vec<&str> = extra.iter().map(|key| key.get_ref().as_ref()).collect();
                let message = format_args!(
                    "unexpected keys in table: {}, available keys: {}",
                    names.join(", "),
                    fields.join(", ")
                );
                return Err(Complaint::custom(message).at(&first.span()));
            }
        }
        Reading::value(self.value).deserialize_any(visitor)
    }
}
