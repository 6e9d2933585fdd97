//! What a figure of a report is: in which of a row's fields it stands, what tables call it, its unit, and which way is better. From lists of
//! these follow the CSV's rows, the measures of `compare`, and the list of all figures in `docs/reference.md`; what a figure means is said once,
//! in the field's comment, which the JSON's schema has, too.

use crate::estimate::Estimate;
use schemars::{JsonSchema, schema_for};
use serde_json::Value as Json;

/// In what a figure is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// A number of things, or a part of one.
    One,
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Bytes.
    Bytes,
    /// Bytes a second.
    BytesPerSecond,
    /// So many a second.
    PerSecond,
    /// GiB a second, as IO500 tells them.
    GibPerSecond,
    /// Thousands of operations a second, likewise.
    ThousandsPerSecond,
    /// Cylinders that an arm moves over.
    Cylinders,
    /// Units of the currency that stands with it.
    Money,
    /// Watts.
    Watts,
}

impl Unit {
    /// As tables of numbers have it; that of a number is one (UCUM, section 2.2).
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::One => "1",
            Self::Seconds => "s",
            Self::Milliseconds => "ms",
            Self::Bytes => "B",
            Self::BytesPerSecond => "B/s",
            Self::PerSecond => "/s",
            Self::GibPerSecond => "GiB/s",
            Self::ThousandsPerSecond => "kIOPS",
            Self::Cylinders => "cylinders",
            Self::Money => "money",
            Self::Watts => "W",
        }
    }
}

/// Which way a figure is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Up,
    /// Less is better.
    Down,
    /// It says what happened, not how well.
    Neither,
}

impl Better {
    /// For tables.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Up => "more",
            Self::Down => "less",
            Self::Neither => "",
        }
    }
}

/// A figure's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number, exact.
    Count(u64),
    /// Any other, with its half-width where that is known.
    Measured(Estimate),
}

impl Value {
    /// As a number with its half-width.
    pub fn estimate(self) -> Estimate {
        match self {
            Self::Count(count) => Estimate::from(count as f64),
            Self::Measured(estimate) => estimate,
        }
    }
}

/// What can stand in the field of a figure.
pub(crate) trait Valued {
    /// Its value, where it has one.
    fn value(self) -> Option<Value>;
}

macro_rules! valued {
    ($($of:ty => $value:ident;)*) => {
        $(impl Valued for $of {
            fn value(self) -> Option<Value> {
                Some(Value::$value(self.into()))
            }
        })*
    };
}

valued! { u64 => Count; u32 => Count; f64 => Measured; Estimate => Measured; }

impl<V: Valued> Valued for Option<V> {
    fn value(self) -> Option<Value> {
        self.and_then(Valued::value)
    }
}

/// A figure of rows of one type.
pub(crate) struct Figure<T> {
    /// The field, from the row's type on, with points between: `reads.bytes`.
    pub(crate) field: &'static str,
    /// What tables call it.
    pub(crate) quantity: &'static str,
    pub(crate) unit: Unit,
    pub(crate) better: Better,
    /// What it means, where that isn't what the field's comment says.
    pub(crate) meaning: Option<&'static str>,
    pub(crate) value: fn(&T) -> Option<Value>,
}

/// A row of a report that has figures.
pub(crate) trait HasFigures: JsonSchema + Sized + 'static {
    /// They, in the order of tables.
    const FIGURES: &'static [Figure<Self>];

    /// The replication that it is of, where it isn't what the report is of.
    fn replication(&self) -> Option<u64> {
        None
    }
}

/// The figures of rows of a type, a line each: `field => "what tables call it" Unit Better;`. What doesn't stand in its field as it is told is
/// behind a `=`, as a function of the row, and where the field's comment says something else than it, with what it means: `field = |row| …,
/// "what it means" => …`. The type's name may be followed by the field that says of which replication a row is.
macro_rules! figures {
    ($of:ty $(, $replication:ident)?: $($first:ident $(.$rest:ident)* $(= $with:expr $(, $meaning:literal)?)?
        => $quantity:literal $unit:ident $better:ident;)*) => {
        impl $crate::figure::HasFigures for $of {
            const FIGURES: &'static [$crate::figure::Figure<Self>] = &[$($crate::figure::Figure {
                field: concat!(stringify!($first) $(, ".", stringify!($rest))*),
                quantity: $quantity,
                unit: $crate::figure::Unit::$unit,
                better: $crate::figure::Better::$better,
                meaning: $crate::figure::figures!(: $($($meaning)?)?),
                value: $crate::figure::figures!(@ [$first $(.$rest)*] $($with)?),
            }),*];

            $(fn replication(&self) -> Option<u64> {
                self.$replication
            })?
        }
    };
    (:) => { None };
    (: $meaning:literal) => { Some($meaning) };
    (@ [$($field:tt)*]) => { |row| $crate::figure::Valued::value(row.$($field)*) };
    (@ [$($field:tt)*] $with:expr) => { |row| $crate::figure::of_row(row, $with) };
}
pub(crate) use figures;

/// What a function finds in a row.
pub(crate) fn of_row<T, V: Valued>(row: &T, function: impl Fn(&T) -> V) -> Option<Value> {
    function(row).value()
}

/// A value of a report with all that says what it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it is about: `latency`, `stage`, `array`.
    pub part: String,
    /// Which of these: a stage's path or its class, a kind of operation, a workload. Empty where there is only one.
    pub name: String,
    /// What of that, where it has several: a rank, a cause, a purpose, a member.
    pub item: String,
    /// The replication that it is of, where it isn't what the report is of.
    pub replication: Option<u64>,
    /// What it is.
    pub quantity: &'static str,
    /// In what.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// How much.
    pub value: Value,
}

/// Rows of one type with their names, and what they are of what is named so.
pub(crate) type Named<'e, T> = Vec<(&'e str, String, &'e T)>;

/// The rows of a list, by what each is named and what of it is told, where it is there.
pub(crate) fn each<'e, P, T>(
    list: &'e [P],
    row: impl Fn(&'e P) -> (&'e String, String, Option<&'e T>),
) -> Named<'e, T> {
    let named = |one| {
        let (name, item, row) = row(one);
        Some((name.as_str(), item, row?))
    };
    list.iter().filter_map(named).collect()
}

/// The row of what there is only one of.
pub(crate) fn only<T>(row: Option<&T>) -> Named<'_, T> {
    row.map(|row| ("", String::new(), row)).into_iter().collect()
}

/// Figures by tables: the rows of something, or, of nothing, which figures there may be.
pub(crate) struct Tables<'e, E> {
    of: Option<&'e E>,
    /// What stands before the parts of all requests.
    before: &'static str,
    rows: Vec<Row>,
    described: Vec<Described>,
}

impl<'e, E> Tables<'e, E> {
    /// The rows that something has.
    pub(crate) fn rows(of: &'e E, before: &'static str, tables: fn(&mut Self)) -> Vec<Row> {
        let mut all = Self { of: Some(of), before, rows: Vec::new(), described: Vec::new() };
        tables(&mut all);
        all.rows
    }

    /// The figures that rows of such may have.
    pub(crate) fn described(tables: fn(&mut Self)) -> Vec<Described> {
        let mut all = Self { of: None, before: "", rows: Vec::new(), described: Vec::new() };
        tables(&mut all);
        all.described
    }

    /// A table of a part.
    pub(crate) fn table<T: HasFigures>(&mut self, part: &'static str, rows: impl Fn(&'e E) -> Named<'e, T>) {
        self.named("", part, rows);
    }

    /// The same of a part that is of all requests.
    pub(crate) fn of_all<T: HasFigures>(&mut self, part: &'static str, rows: impl Fn(&'e E) -> Named<'e, T>) {
        self.named(self.before, part, rows);
    }

    fn named<T: HasFigures>(
        &mut self,
        before: &str,
        part: &'static str,
        rows: impl Fn(&'e E) -> Named<'e, T>,
    ) {
        let Some(of) = self.of else { return self.described.extend(described::<T>(part)) };
        for (name, item, row) in rows(of) {
            let figure = |figure: &Figure<T>| {
                let &Figure { quantity, unit, better, value, .. } = figure;
                let (part, name, item) = (format!("{before}{part}"), name.to_owned(), item.clone());
                let (value, replication) = (value(row)?, row.replication());
                Some(Row { part, name, item, replication, quantity, unit, better, value })
            };
            self.rows.extend(T::FIGURES.iter().filter_map(figure));
        }
    }
}

/// What is known of a figure beside its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The rows that have it.
    pub part: &'static str,
    /// What tables call it.
    pub quantity: &'static str,
    /// In what.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// Its field, from the row on.
    pub field: &'static str,
    /// What it means.
    pub meaning: String,
}

/// The figures of rows of one type under the name of their part.
fn described<T: HasFigures>(part: &'static str) -> Vec<Described> {
    let schema = schema_for!(T).to_value();
    let described = |figure: &Figure<T>| {
        let &Figure { field, quantity, unit, better, .. } = figure;
        let meaning = figure.meaning.map_or_else(|| meaning(&schema, field), str::to_owned);
        Described { part, quantity, unit, better, field, meaning }
    };
    T::FIGURES.iter().map(described).collect()
}

/// What the comments of a field and of those within it say, by the schema of the type.
fn meaning(schema: &Json, field: &str) -> String {
    let mut at = schema;
    let mut words: Vec<&str> = Vec::new();
    for name in field.split('.') {
        at = property(schema, at, name);
        words.extend(at["description"].as_str());
    }
    words.join(" ").replace('\n', " ")
}

/// What a schema says of a field of what stands at a place in it, or of the items of a list.
pub(crate) fn property<'s>(schema: &'s Json, at: &'s Json, name: &str) -> &'s Json {
    let found = own_reference(at).and_then(|reference| schema.pointer(reference.strip_prefix('#')?));
    let at = found.unwrap_or(at);
    if name == "items" && at["type"] == "array" { &at["items"] } else { &at["properties"][name] }
}

/// Where the schema stands of a type of its own, also of one that may be absent.
pub(crate) fn own_reference(at: &Json) -> Option<&str> {
    let own = |of: &'_ Json| of["$ref"].as_str().is_some();
    let any = at["anyOf"].as_array().into_iter().flatten();
    std::iter::once(at).chain(any).find(|of| own(of))?["$ref"].as_str()
}
