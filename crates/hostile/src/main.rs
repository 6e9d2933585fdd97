//! The rounds, by hand and for `make fuzz`.
#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![allow(clippy::print_stdout)] // Its output is what it is for.

use clap::{Parser, Subcommand};
use petrio_hostile::commands::{self, CommandsOutcome};
use petrio_hostile::round::{self, Outcome, input, round, work};
use petrio_hostile::{readers, samples};
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Try every reader and every command of petrio with hostile inputs
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Mutated files for every reader, in the process of a worker
    Readers {
        /// How many inputs, over all readers
        #[arg(long, default_value_t = 1_000_000)]
        inputs: u64,
        /// The number of the first input of each reader
        #[arg(long, default_value_t = 0)]
        from: u64,
        /// Only this reader
        #[arg(long)]
        reader: Option<String>,
    },
    /// Mutated files for whole commands
    Commands {
        /// How many commands
        #[arg(long, default_value_t = 10_000)]
        inputs: u64,
        /// The number of the first one
        #[arg(long, default_value_t = 0)]
        from: u64,
        /// The built program
        #[arg(long)]
        petrio: PathBuf,
    },
    /// The bytes of one input on standard output, or read here with --read
    One {
        /// The reader
        reader: String,
        /// The number of the input
        number: u64,
        /// Read it instead
        #[arg(long)]
        read: bool,
    },
    /// The names of all readers
    List,
    #[command(hide = true)]
    Worker { reader: String, from: u64, to: u64 },
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let this = std::env::current_exe()?;
    match Arguments::parse().what {
        What::Readers { inputs, from, reader } => {
            let shares = match reader {
                Some(name) => vec![(named(&name)?.name, inputs)],
                None => round::shares(inputs),
            };
            let mut clean = true;
            println!(
                "| reader | inputs | taken | panics | over 10 s | aborted |\n| --- | --- | --- | --- | --- | --- |"
            );
            for (reader, share) in shares {
                let outcome = round(&this, reader, from, share)?;
                println!(
                    "| {reader} | {} | {} | {} | {} | {} |",
                    outcome.inputs,
                    outcome.taken,
                    outcome.panics.len(),
                    outcome.slow.len(),
                    outcome.aborted.len()
                );
                tell(reader, &outcome);
                clean &= outcome.is_clean();
            }
            Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        What::Commands { inputs, from, petrio } => {
            let CommandsOutcome { rows, wrong, slow } = commands::round(&petrio, from, inputs)?;
            println!(
                "| command | runs | done | refused | not written | over 10 s |\n| --- | --- | --- | --- | --- | --- |"
            );
            for (name, row) in &rows {
                println!(
                    "| {name} | {} | {} | {} | {} | {} |",
                    row.runs, row.done, row.refused, row.unwritten, row.slow
                );
            }
            slow.iter().for_each(|one| println!("slow: {one}"));
            wrong.iter().for_each(|one| println!("wrong: {one}"));
            Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        What::One { reader, number, read } => {
            let reader = named(&reader)?;
            let bytes = input(&reader, &(reader.samples)(), number);
            if read {
                match (reader.read)(&bytes) {
                    Ok(()) => println!("taken"),
                    Err(reason) => println!("refused: {reason}"),
                }
            } else {
                std::io::stdout().write_all(&bytes)?;
            }
            Ok(ExitCode::SUCCESS)
        }
        What::List => {
            readers::all().iter().for_each(|reader| println!("{}", reader.name));
            Ok(ExitCode::SUCCESS)
        }
        What::Worker { reader, from, to } => {
            work(&named(&reader)?, from, to)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn named(name: &str) -> Result<readers::Reader, String> {
    if !samples::repository().join("examples").is_dir() {
        return Err("the repository with its examples isn't where this was built".to_owned());
    }
    readers::named(name).ok_or_else(|| format!("no reader is named {name}; `list` names them"))
}

fn tell(reader: &str, outcome: &Outcome) {
    for (number, said) in &outcome.panics {
        println!("panic: {reader} {number}: {said}");
    }
    for number in &outcome.slow {
        println!("over 10 s: {reader} {number}");
    }
    for number in &outcome.aborted {
        println!("aborted: {reader} {number}");
    }
}
