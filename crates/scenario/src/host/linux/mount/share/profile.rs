//! A profile of placements: a table (CSV) of which server has which partition of which file.

use crate::text::file::text_of;
use petrio_files::inputs::Inputs;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Where a profile puts a partition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProfileLine {
    /// The file, by its name.
    pub file: String,
    /// The partition, from 0.
    pub partition: u64,
    /// The server, by its number among those of the service.
    pub server: u32,
}

/// The columns.
pub(crate) const COLUMNS: [&str; 3] = ["file", "partition", "server"];

/// What is wrong with a profile.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) message: String,
    pub(super) help: String,
}

/// Reads a profile; `servers` are the names of the service's.
pub(super) fn read_profile(
    inputs: &Inputs,
    file: &Path,
    servers: &[&str],
) -> Result<Arc<[ProfileLine]>, Wrong> {
    let wrong = |message: String, help: &str| Wrong { message, help: help.to_owned() };
    if !inputs.may_be_read(file) {
        return Err(wrong("files are not read here".to_owned(), ""));
    }
    let text = text_of(inputs, file)
        .map_err(|problem| wrong(problem.message().to_owned(), problem.advice().unwrap_or_default()))?;
    parse(&text, servers).map_err(|(line, Wrong { message, help })| {
        let shown = petrio_files::shown::path(file);
        Wrong { message: format!("line {line} of {shown}: {message}"), help }
    })
}

fn parse(text: &str, servers: &[&str]) -> Result<Arc<[ProfileLine]>, (u64, Wrong)> {
    let by_name: BTreeMap<&str, u32> = servers.iter().copied().zip(0..).collect();
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let unreadable = |error: &csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        (line, Wrong { message: error.to_string(), help: header_help() })
    };
    let header = reader.headers().map_err(|error| unreadable(&error))?.clone();
    if !header.iter().eq(COLUMNS) {
        let found: Vec<&str> = header.iter().collect();
        let message = format!("its columns are \"{}\"", found.join(","));
        return Err((1, Wrong { message, help: header_help() }));
    }
    let mut known: BTreeMap<(String, u64), u64> = BTreeMap::new();
    let mut lines = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| unreadable(&error))?;
        let at = record.position().map_or(0, csv::Position::line);
        let field = |column: usize| record.get(column).unwrap_or_default();
        let (file, partition, server) = (field(0).to_owned(), field(1), field(2));
        let Ok(partition) = partition.parse::<u64>() else {
            let message = format!("\"{partition}\" is no partition");
            return Err((at, Wrong { message, help: "partitions are counted from 0".to_owned() }));
        };
        let Some(&server) = by_name.get(server) else {
            let message = format!("\"{server}\" is none of the service's servers");
            let help = crate::checker::listed(server, servers, "the servers are");
            return Err((at, Wrong { message, help }));
        };
        if let Some(first) = known.insert((file.clone(), partition), at) {
            let message =
                format!("partition {partition} of \"{file}\" has a server already, in line {first}");
            return Err((at, Wrong { message, help: "leave one of the two lines out".to_owned() }));
        }
        lines.push(ProfileLine { file, partition, server });
    }
    Ok(lines.into())
}

fn header_help() -> String {
    format!(
        "the first line is \"{}\", and others are such as \"results/out,17,node3/data\"",
        COLUMNS.join(",")
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SERVERS: [&str; 2] = ["node0/data", "node1/data"];

    fn wrong(text: &str) -> (u64, String, String) {
        let (line, Wrong { message, help }) = parse(text, &SERVERS).unwrap_err();
        (line, message, help)
    }

    #[test]
    fn a_line_says_which_server_has_a_partition() {
        let text = "file, partition, server\nout,0,node1/data\n\"a, b\",3,node0/data\n";
        let line = |file: &str, partition, server| ProfileLine { file: file.to_owned(), partition, server };
        assert_eq!(*parse(text, &SERVERS).unwrap(), [line("out", 0, 1), line("a, b", 3, 0)]);
    }

    #[test]
    fn nonsense_is_told_with_its_line() {
        let (line, message, help) = wrong("file,partition,server\nout,0,node0/data\nout,1,node7/data\n");
        assert_eq!((line, message.as_str()), (3, "\"node7/data\" is none of the service's servers"));
        assert!(help.contains("did you mean \"node"), "{help}");
        let (line, message, _) = wrong("file,partition,server\nout,0,node0/data\nout,0,node1/data\n");
        assert_eq!((line, message.as_str()), (3, "partition 0 of \"out\" has a server already, in line 2"));
        assert_eq!(wrong("file,partition,server\nout,-1,node0/data\n").1, "\"-1\" is no partition");
        assert_eq!(wrong("name,partition,server\n").1, "its columns are \"name,partition,server\"");
        assert_eq!(wrong("file,partition,server\nout,0\n").0, 2);
    }
}
