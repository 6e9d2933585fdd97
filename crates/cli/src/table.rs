//! Tables on the terminal, laid out as the reports of studies lay them out.

pub(crate) use petrio_scenario::report::table;
