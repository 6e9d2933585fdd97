//! The petrio command.
fn main() {}
