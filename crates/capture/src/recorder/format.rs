//! An event's `format` file: where each field lies in the binary record.
//!
//! ```text
//! name: mm_filemap_fault
//! ID: 597
//! format:
//!         field:unsigned long i_ino;      offset:8;       size:8; signed:0;
//! ```
//!
//! The same layout describes a ring buffer's page (`events/header_page`).
//!
//! Source: Linux `Documentation/trace/events.rst`, §“Event formats”. Left out: the print format; nothing is printed
//! here.

/// Where a field lies in a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Field {
    /// Bytes before it.
    pub(crate) offset: u16,
    /// Its length in bytes; a record that is shorter doesn't have it.
    pub(crate) size: u16,
    /// Whether it is a signed number.
    pub(crate) signed: bool,
}

impl Field {
    /// Its number in a record, sign-extended; none where the record is too short or the field isn't a number.
    pub(crate) fn number(self, record: &[u8]) -> Option<u64> {
        let from = usize::from(self.offset);
        let bytes = record.get(from..from + usize::from(self.size))?;
        // Tracing writes in the machine's own order, and the reader refuses other machines than little-endian ones.
        Some(match (bytes, self.signed) {
            (&[a], false) => u64::from(a),
            (&[a], true) => i64::from(a.cast_signed()).cast_unsigned(),
            (&[a, b], false) => u64::from(u16::from_le_bytes([a, b])),
            (&[a, b], true) => i64::from(i16::from_le_bytes([a, b])).cast_unsigned(),
            (&[a, b, c, d], false) => u64::from(u32::from_le_bytes([a, b, c, d])),
            (&[a, b, c, d], true) => i64::from(i32::from_le_bytes([a, b, c, d])).cast_unsigned(),
            (bytes, _) => u64::from_le_bytes(bytes.try_into().ok()?),
        })
    }

    /// Its characters up to the first NUL; empty where the record is too short.
    pub(crate) fn text(self, record: &[u8]) -> &[u8] {
        let from = usize::from(self.offset);
        until_nul(record.get(from..from + usize::from(self.size)).unwrap_or_default())
    }

    /// The characters that it points to: of a `__data_loc` field, whose low half is an offset and whose high half a
    /// length.
    pub(crate) fn text_elsewhere(self, record: &[u8]) -> &[u8] {
        let Some(location) = self.number(record) else { return &[] };
        let (from, length) = ((location & 0xffff) as usize, (location >> 16 & 0xffff) as usize);
        until_nul(record.get(from..from + length).unwrap_or_default())
    }
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// What a `format` file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Format {
    /// The number in the first two bytes of its records; 0 in `header_page`.
    pub(crate) id: u16,
    fields: Vec<(String, Field)>,
}

impl Format {
    /// From the text of the file; lines that say something else are passed over.
    pub(crate) fn parse(text: &str) -> Self {
        let mut format = Self::default();
        for line in text.lines().map(str::trim) {
            if let Some(id) = line.strip_prefix("ID:") {
                format.id = id.trim().parse().unwrap_or(0);
            } else if let Some((name, field)) = line.strip_prefix("field:").and_then(parse_field) {
                format.fields.push((name.to_owned(), field));
            }
        }
        format
    }

    /// The field of that name.
    pub(crate) fn field(&self, name: &str) -> Option<Field> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, field)| *field)
    }
}

/// `unsigned long i_ino; offset:8; size:8; signed:0;`
fn parse_field(rest: &str) -> Option<(&str, Field)> {
    let mut parts = rest.split(';').map(str::trim);
    let declaration = parts.next()?;
    // `char rwbs[10]`, `const char * filename`, `__data_loc char[] cmd`.
    let name = declaration.rsplit([' ', '*']).next()?.split('[').next()?;
    let mut field = Field::default();
    let (mut has_offset, mut has_size) = (false, false);
    for part in parts {
        match part.split_once(':') {
            Some(("offset", value)) => (field.offset, has_offset) = (value.parse().ok()?, true),
            Some(("size", value)) => (field.size, has_size) = (value.parse().ok()?, true),
            Some(("signed", value)) => field.signed = value == "1",
            _ => {}
        }
    }
    (has_offset && has_size && !name.is_empty()).then_some((name, field))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    const FORMAT: &str = "\
name: block_rq_issue
ID: 2104
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;
\tfield:char rwbs[10];\toffset:34;\tsize:10;\tsigned:0;
\tfield:const char * filename;\toffset:44;\tsize:8;\tsigned:0;
\tfield:__data_loc char[] cmd;\toffset:60;\tsize:4;\tsigned:0;

print fmt: \"%d,%d %s\", ((unsigned int) ((REC->dev) >> 20)), REC->rwbs
";

    #[test]
    fn fields_are_found_by_name_whatever_their_declaration() {
        let format = Format::parse(FORMAT);
        assert_eq!(format.id, 2104);
        assert_eq!(format.field("common_pid"), Some(Field { offset: 4, size: 4, signed: true }));
        assert_eq!(format.field("rwbs").unwrap().offset, 34);
        assert_eq!(format.field("filename").unwrap().size, 8);
        assert_eq!(format.field("cmd").unwrap().offset, 60);
        assert_eq!(format.field("bytes"), None);
    }

    #[test]
    fn a_signed_number_keeps_its_sign_and_a_short_record_has_none() {
        let field = Field { offset: 2, size: 4, signed: true };
        assert_eq!(field.number(&[0, 0, 0xfe, 0xff, 0xff, 0xff]), Some(-2_i64 as u64));
        assert_eq!(Field { signed: false, ..field }.number(&[0, 0, 1, 0, 0, 0]), Some(1));
        assert_eq!(field.number(&[0; 5]), None);
    }

    #[test]
    fn a_text_elsewhere_is_found_by_its_location() {
        let mut record = vec![0; 4];
        record[..4].copy_from_slice(&(4_u32 | 5 << 16).to_le_bytes());
        record.extend_from_slice(b"/bin\0rest");
        let field = Field { offset: 0, size: 4, signed: false };
        assert_eq!(field.text_elsewhere(&record), b"/bin");
        assert_eq!(field.text_elsewhere(&record[..6]), b"");
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "[ a-z:;0-9\n\\[\\]*_]{0,200}", record in proptest::collection::vec(any::<u8>(), 0..64)) {
            let format = Format::parse(&text);
            for (_, field) in &format.fields {
                let _ = (field.number(&record), field.text(&record).len(), field.text_elsewhere(&record).len());
            }
        }

        #[test]
        fn any_field_of_any_record_is_read_without_panic(
            offset: u16, size: u16, signed: bool, record in proptest::collection::vec(any::<u8>(), 0..64)
        ) {
            let field = Field { offset, size, signed };
            let _ = (field.number(&record), field.text(&record).len(), field.text_elsewhere(&record).len());
        }
    }
}
