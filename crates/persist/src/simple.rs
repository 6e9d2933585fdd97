//! Numbers, words, and what is made of a few of them.

use crate::{Damage, Persist, Reader, Writer};
use hdrhistogram::Histogram;
use petrio_random::Generator;
use petrio_time::Time;
use rand_core::{Rng, SeedableRng};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::num::{NonZero, NonZeroU32, NonZeroU64};

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Persist for $number {
            const PLAIN: bool = true;

            #[inline]
            fn save(&self, to: &mut Writer<'_>) {
                to.number(u64::from(*self));
            }
            #[inline]
            fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
                let number = from.number()?;
                Self::try_from(number)
                    .map_err(|_| Damage::Value { what: stringify!($number), found: number.to_string() })
            }
        }
    )*};
}

numbers!(u8, u16, u32);

impl Persist for u64 {
    const PLAIN: bool = true;

    #[inline]
    fn save(&self, to: &mut Writer<'_>) {
        to.number(*self);
    }

    #[inline]
    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        from.number()
    }
}

impl Persist for usize {
    const PLAIN: bool = true;

    #[inline]
    fn save(&self, to: &mut Writer<'_>) {
        to.number(*self as u64);
    }

    #[inline]
    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let number = from.number()?;
        Self::try_from(number).map_err(|_| Damage::Value { what: "usize", found: number.to_string() })
    }
}

macro_rules! as_bytes {
    ($($number:ty),*) => {$(
        impl Persist for $number {
            const PLAIN: bool = true;

            #[inline]
            fn save(&self, to: &mut Writer<'_>) {
                to.bytes(&self.to_le_bytes());
            }
            #[inline]
            fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
                Ok(Self::from_le_bytes(from.array()?))
            }
        }
    )*};
}

as_bytes!(i8, i16, i32, i64, i128, u128, f32, f64);

impl Persist for bool {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        to.number(u64::from(*self));
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        match from.number()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Damage::Value { what: "bool", found: other.to_string() }),
        }
    }
}

impl Persist for char {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        u32::from(*self).save(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let number = u32::load(from)?;
        Self::from_u32(number).ok_or_else(|| Damage::Value { what: "char", found: number.to_string() })
    }
}

impl Persist for Time {
    const PLAIN: bool = true;

    #[inline]
    fn save(&self, to: &mut Writer<'_>) {
        // Time::NEVER is a large number that is common.
        to.number(self.as_picos().wrapping_add(1));
    }

    #[inline]
    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        Ok(Self::from_picos(from.number()?.wrapping_sub(1)))
    }
}

impl Persist for Generator {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        to.bytes(&self.state());
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let mut own = Self::from_seed(from.array()?);
        Ok(match from.reseeded() {
            None => own,
            Some(number) => {
                Self::seed_from_u64(petrio_random::mix(own.next_u64() ^ petrio_random::mix(number)))
            }
        })
    }
}

impl Persist for Histogram<u64> {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        (self.low(), self.high(), self.sigfig(), self.is_auto_resize()).save(to);
        let counted = self.iter_recorded();
        let counted: Vec<_> = counted.map(|step| (step.value_iterated_to(), step.count_at_value())).collect();
        counted.save(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let (low, high, digits, grows) = <(u64, u64, u8, bool)>::load(from)?;
        let wrong =
            |error: &dyn std::fmt::Display| Damage::Value { what: "a histogram", found: error.to_string() };
        let mut histogram = Self::new_with_bounds(low, high, digits).map_err(|error| wrong(&error))?;
        histogram.auto(grows);
        for (value, count) in Vec::<(u64, u64)>::load(from)? {
            histogram.record_n(value, count).map_err(|error| wrong(&error))?;
        }
        Ok(histogram)
    }
}

macro_rules! non_zero {
    ($($number:ty),*) => {$(
        impl Persist for $number {
            const PLAIN: bool = true;

            fn save(&self, to: &mut Writer<'_>) {
                self.get().save(to);
            }
            fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
                NonZero::new(Persist::load(from)?)
                    .ok_or_else(|| Damage::Value { what: stringify!($number), found: "0".to_owned() })
            }
        }
    )*};
}

non_zero!(NonZeroU32, NonZeroU64);

impl Persist for String {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        self.len().save(to);
        to.bytes(self.as_bytes());
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        let length = from.count()?;
        let bytes = from.bytes(length)?;
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(Damage::Value { what: "a text in UTF-8", found: format!("{length} other bytes") }),
        }
    }
}

impl Persist for Cow<'static, str> {
    const PLAIN: bool = true;

    fn save(&self, to: &mut Writer<'_>) {
        self.len().save(to);
        to.bytes(self.as_bytes());
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        String::load(from).map(Self::Owned)
    }
}

impl<T> Persist for PhantomData<T> {
    const PLAIN: bool = true;

    fn save(&self, _: &mut Writer<'_>) {}

    fn load(_: &mut Reader<'_>) -> Result<Self, Damage> {
        Ok(Self)
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: Persist),*> Persist for ($($name,)*) {
            const PLAIN: bool = true $(&& $name::PLAIN)*;

            #[allow(non_snake_case, unused_variables, reason = "the elements are named by their types; the empty one has none")]
            fn save(&self, to: &mut Writer<'_>) {
                let ($($name,)*) = self;
                $($name.save(to);)*
            }
            #[allow(clippy::unused_unit, unused_variables, reason = "the empty one")]
            fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
                Ok(($($name::load(from)?,)*))
            }
            #[allow(non_snake_case, unused_variables, reason = "as of save")]
            fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
                let ($($name,)*) = self;
                $($name.restore(from)?;)*
                Ok(())
            }
        }
    };
}

tuples!();
tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
