//! Claims about the `petrio` command, made on the built program: what it prints, what it writes, and what it refuses.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod bad_input;
mod bounds;
mod catalogue;
mod characterise;
mod compare;
mod copies;
mod examples;
mod file_systems;
mod files_kept;
mod fit;
mod hostile;
mod interface;
mod interrupted;
mod kept;
mod killed;
mod outputs;
mod predictions;
mod same_again;
mod studio;
mod support;
mod traces;
mod users;
mod users_processes;
mod validation;
