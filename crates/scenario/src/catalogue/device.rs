//! Reads a device of the catalogue: of whichever kind, with every mistake at its place.

use crate::text::deserialise::{read, suggestion};
use crate::text::tree::{Table, entry};
use crate::text::{Problem, Sources};
use petrio_models::device::{Device, DeviceParameters, DeviceReader};
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::DeValue;

/// A table that tells where things stand in it.
struct TableReader<'a, 'i> {
    table: &'a Table<'i>,
    sources: &'a Sources,
}

impl DeviceReader for TableReader<'_, '_> {
    type Error = Vec<Problem>;

    fn read<P: DeviceParameters + DeserializeOwned>(self) -> Result<P, Vec<Problem>> {
        read(self.table, self.sources)
    }
}

/// Reads a device from its table. Told apart here and not by serde, which forgets where things stand once it has to
/// look at `kind` before it knows what it reads.
pub(crate) fn read_device(table: &Table<'_>, sources: &Sources) -> Result<Device, Vec<Problem>> {
    let mut rest = table.get_ref().clone();
    rest.remove("kind");
    let rest = Spanned::new(table.span(), rest);
    let reader = TableReader { table: &rest, sources };
    let (span, kind) = match entry(table.get_ref(), "kind").map(|(_, kind)| (kind.span(), kind.get_ref())) {
        None => (table.span(), Device::USUAL_KIND),
        Some((span, DeValue::String(word))) => (span, &**word),
        Some((span, _)) => return Err(vec![sources.error(span, "the kind of a device is a word")]),
    };
    Device::read(kind, reader).unwrap_or_else(|| {
        let problem = sources.error(span, format!("\"{kind}\" is not a kind of device"));
        Err(vec![problem.help(suggestion(kind, Device::KINDS, "it is one of"))])
    })
}
