//! A row of results, a case and replication each, and the Parquet file that rows make.

use super::factor::{Factor, Values};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::{Field, Row as Record};
use parquet::schema::types::Type;
use petrio_units::Measured;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write;
use std::sync::Arc;

/// What one run of a case gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The number of the case.
    pub case: u64,
    /// The number of the replication, from 0.
    pub replication: u64,
    /// The hash of the effective scenario, its inputs, the seed and the version.
    pub key: String,
    /// The value of each key that is varied, as a scenario has it.
    pub values: Vec<String>,
    /// Each measure, in its unit; nothing where the report doesn't have it.
    pub figures: Vec<Option<f64>>,
    /// The stage that was busy for most of the time.
    pub busiest: Option<String>,
    /// For which part of it, 0 to 1.
    pub utilisation: Option<f64>,
    /// What to check before the run is trusted.
    pub warnings: Vec<String>,
}

/// Which columns rows have.
#[derive(Clone, Debug)]
pub struct Columns {
    /// What is varied; those that are numbers without a unit are columns of numbers.
    factors: Vec<(String, Sort)>,
    /// The measures' names, each with its unit.
    measures: Vec<(String, String)>,
}

/// What the values of a key are.
#[derive(Clone, Debug, PartialEq)]
enum Sort {
    Words,
    Numbers,
    /// With the unit of a second column, in which they are numbers.
    Quantities(&'static str),
}

impl Sort {
    fn of(values: &Values) -> Self {
        let units: Option<Vec<&'static str>> = match values {
            Values::Listed(values) => {
                values.iter().map(|value| Measured::read(value).map(Measured::base_unit)).collect()
            }
            Values::Between { low, .. } => Some(vec![low.base_unit()]),
        };
        match units.as_deref() {
            Some([first, rest @ ..]) if rest.iter().all(|unit| unit == first) => {
                if first.is_empty() {
                    Self::Numbers
                } else {
                    Self::Quantities(first)
                }
            }
            _ => Self::Words,
        }
    }
}

/// What a column holds, one for each row.
enum Column {
    Whole(Vec<i64>),
    Number(Vec<Option<f64>>),
    Text(Vec<Option<String>>),
}

impl Columns {
    /// Of a study of these keys and measures.
    pub fn new(factors: &[Factor], measures: Vec<(String, String)>) -> Self {
        let factors = factors.iter().map(|factor| (factor.path.clone(), Sort::of(&factor.values))).collect();
        Self { factors, measures }
    }

    /// The rows as columns, in the order of the file.
    fn columns(&self, rows: &[Row]) -> Vec<(String, Column)> {
        let whole =
            |of: fn(&Row) -> u64| Column::Whole(rows.iter().map(|row| of(row).cast_signed()).collect());
        let mut all = vec![
            ("case".to_owned(), whole(|row| row.case)),
            ("replication".to_owned(), whole(|row| row.replication)),
            ("key".to_owned(), Column::Text(rows.iter().map(|row| Some(row.key.clone())).collect())),
        ];
        for (at, (path, sort)) in self.factors.iter().enumerate() {
            let texts = || rows.iter().map(|row| row.values.get(at).cloned()).collect();
            let numbers =
                || rows.iter().map(|row| Measured::read(row.values.get(at)?).map(Measured::base)).collect();
            match sort {
                Sort::Words => all.push((path.clone(), Column::Text(texts()))),
                Sort::Numbers => all.push((path.clone(), Column::Number(numbers()))),
                Sort::Quantities(unit) => {
                    all.push((path.clone(), Column::Text(texts())));
                    all.push((format!("{path} ({unit})"), Column::Number(numbers())));
                }
            }
        }
        for (at, (name, _)) in self.measures.iter().enumerate() {
            let values = rows.iter().map(|row| row.figures.get(at).copied().flatten()).collect();
            all.push((name.clone(), Column::Number(values)));
        }
        all.push(("busiest".to_owned(), Column::Text(rows.iter().map(|row| row.busiest.clone()).collect())));
        all.push((
            "utilisation".to_owned(),
            Column::Number(rows.iter().map(|row| row.utilisation).collect()),
        ));
        let warnings = rows.iter().map(|row| (!row.warnings.is_empty()).then(|| row.warnings.join("\n")));
        all.push(("warnings".to_owned(), Column::Text(warnings.collect())));
        all
    }

    /// Writes rows as a Parquet file.
    pub(super) fn write<W: Write + Send>(&self, rows: &[Row], to: W) -> Result<()> {
        let columns = self.columns(rows);
        let fields = columns.iter().map(|(name, column)| field(name, column)).collect::<Result<Vec<_>>>()?;
        let schema = Type::group_type_builder("row").with_fields(fields).build()?;
        let units =
            self.measures.iter().map(|(name, unit)| KeyValue::new(format!("unit of {name}"), unit.clone()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by("petrio".to_owned())
            .set_key_value_metadata(Some(units.collect()))
            .build();
        let mut writer = SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties))?;
        let mut group = writer.next_row_group()?;
        for (_, column) in &columns {
            column.write(&mut group)?;
        }
        group.close()?;
        writer.close()?;
        Ok(())
    }

    /// Reads what [`write`](Self::write) has written, but for the values of keys: these follow from a case's number, and a column of numbers
    /// doesn't say how they were written.
    pub(super) fn read(&self, file: File) -> Result<Vec<Row>> {
        let reader = SerializedFileReader::new(file)?;
        reader.get_row_iter(None)?.map(|record| self.row(&record?)).collect()
    }

    fn row(&self, record: &Record) -> Result<Row> {
        let of = |name: &str| {
            let found = record.get_column_iter().find(|(known, _)| *known == name).map(|(_, field)| field);
            found.ok_or_else(|| ParquetError::General(format!("there is no column {name}")))
        };
        let whole = |name: &str| match of(name)? {
            Field::Long(value) => Ok(value.cast_unsigned()),
            other => Err(ParquetError::General(format!("{name} is {other}"))),
        };
        let text = |name: &str| match of(name)? {
            Field::Str(text) => Ok(Some(text.clone())),
            _ => Ok::<_, ParquetError>(None),
        };
        let number = |name: &str| match of(name)? {
            Field::Double(value) => Ok(Some(*value)),
            _ => Ok::<_, ParquetError>(None),
        };
        Ok(Row {
            case: whole("case")?,
            replication: whole("replication")?,
            key: text("key")?.unwrap_or_default(),
            values: Vec::new(),
            figures: self.measures.iter().map(|(name, _)| number(name)).collect::<Result<_>>()?,
            busiest: text("busiest")?,
            utilisation: number("utilisation")?,
            warnings: text("warnings")?
                .map(|all| all.lines().map(str::to_owned).collect())
                .unwrap_or_default(),
        })
    }
}

fn field(name: &str, column: &Column) -> Result<Arc<Type>> {
    let builder = match column {
        Column::Whole(_) => {
            Type::primitive_type_builder(name, Physical::INT64).with_repetition(Repetition::REQUIRED)
        }
        Column::Number(_) => {
            Type::primitive_type_builder(name, Physical::DOUBLE).with_repetition(Repetition::OPTIONAL)
        }
        Column::Text(_) => Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(Some(LogicalType::String)),
    };
    Ok(Arc::new(builder.build()?))
}

impl Column {
    fn write<W: Write + Send>(&self, group: &mut SerializedRowGroupWriter<'_, W>) -> Result<()> {
        let mut open =
            group.next_column()?.ok_or_else(|| ParquetError::General("a column is missing".to_owned()))?;
        let levels = |there: &mut dyn Iterator<Item = bool>| there.map(i16::from).collect::<Vec<i16>>();
        match self {
            Self::Whole(values) => {
                open.typed::<Int64Type>().write_batch(values, None, None)?;
            }
            Self::Number(values) => {
                let levels = levels(&mut values.iter().map(Option::is_some));
                let values: Vec<f64> = values.iter().flatten().copied().collect();
                open.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?;
            }
            Self::Text(values) => {
                let levels = levels(&mut values.iter().map(Option::is_some));
                let values: Vec<ByteArray> =
                    values.iter().flatten().map(|text| text.as_str().into()).collect();
                open.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
            }
        }
        open.close()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Seek;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let factors: Vec<Factor> =
            ["fs.f.journal=ordered,journal", "h.count=1..3", "h.memory=1 GiB,512 MiB", "gap=lin(1 ms, 2 ms)"]
                .map(|text| text.parse().unwrap())
                .to_vec();
        let measures =
            vec![("rate".to_owned(), "1/s".to_owned()), ("p99-latency".to_owned(), "ms".to_owned())];
        let columns = Columns::new(&factors, measures);
        let row = |case: u64, values: [&str; 4], figures: [Option<f64>; 2]| Row {
            case,
            replication: case % 2,
            key: format!("{case:032x}"),
            values: values.map(str::to_owned).to_vec(),
            figures: figures.to_vec(),
            busiest: (case > 0).then(|| "d/mechanics".to_owned()),
            utilisation: (case > 0).then_some(0.75),
            warnings: if case > 1 { vec!["one".to_owned(), "two".to_owned()] } else { Vec::new() },
        };
        let rows = vec![
            row(0, ["ordered", "1", "1 GiB", "1 ms"], [Some(1.5), None]),
            row(1, ["journal", "2", "512 MiB", "1.5 ms"], [Some(0.1 + 0.2), Some(3.0)]),
            row(2, ["journal", "3", "512 MiB", "2 ms"], [None, Some(f64::MAX)]),
        ];
        let mut file = tempfile::tempfile().unwrap();
        columns.write(&rows, &mut file).unwrap();
        file.rewind().unwrap();
        let mut read = columns.read(file).unwrap();
        read.iter_mut().zip(&rows).for_each(|(read, row)| read.values.clone_from(&row.values));
        assert_eq!(read, rows);
    }
}
