//! Where the cause of what programs refuse stands in the scenario.

use crate::text::tree::KeySpans;
use crate::text::{Problem, Sources, with_advice};
use miette::Diagnostic;
use petrio_workload::program::ProgramError;

/// A workload's error, at its cause in the scenario: of a script, at the place within it.
pub(crate) fn problem_of(
    workload: &str,
    error: &ProgramError,
    places: &KeySpans,
    sources: &Sources,
) -> Problem {
    let span = places.value(&path_of(workload, error, places));
    let problem = match error {
        ProgramError::Script(script) => {
            sources.error(sources.within(span, script.line, script.column), script.problem.as_str())
        }
        ProgramError::Parameter { parameter, problem } => {
            let (wrong, advice) = with_advice(problem);
            let advice = advice.or(problem.ends_with("is zero").then_some("give more than zero"));
            sources.error(span, format!("{parameter}: {wrong}")).maybe_help(advice)
        }
        other => sources.error(span, other.to_string()),
    };
    problem.maybe_help(error.help())
}

/// Where the cause of a workload's error stands in the scenario: a parameter of a parallel program, and one of its library,
/// stands a table deeper. What is wrong in a file stands where the file is named.
fn path_of(workload: &str, error: &ProgramError, places: &KeySpans) -> String {
    let parameter = match error {
        ProgramError::Parameter { parameter, .. } | ProgramError::TooMuchForProcesses { parameter, .. } => {
            *parameter
        }
        ProgramError::Script(_) => "script",
        ProgramError::Request { .. } | ProgramError::Trace(_) | ProgramError::NoRequests { .. } => "file",
        _ => return format!("workload.{workload}"),
    };
    let path = |table: &str| format!("workload.{workload}{table}.{parameter}");
    let deeper = [".program", ".hints"].map(path).into_iter().find(|path| places.contains(path));
    if places.contains(&path("")) { path("") } else { deeper.unwrap_or_else(|| path("")) }
}
