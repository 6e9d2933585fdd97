//! What could be better about a pool.

use super::parameters::CephParameters;
use petrio_stage::Lever;

impl CephParameters {
    /// What could be better about its hosts; its parameters stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let costs = format!("{path}.costs");
        let more = Lever::twice("processor", "processors", "twice as many processors in each host of OSDs");
        let less =
            Lever::twice("processor", "the work of requests", "requests that cost OSDs half of the work");
        let own = &self.costs;
        let less = [
            ("client", own.client),
            ("read", own.read),
            ("write", own.write),
            ("replica", own.replica),
            ("commit", own.commit),
            ("answer", own.answer),
        ]
        .into_iter()
        .fold(less, |lever, (name, cost)| lever.halved(&costs, name, cost));
        let levers = [more.set(path, "processors", self.processors.saturating_mul(2)), less];
        levers.into_iter().filter_map(Lever::if_any).collect()
    }
}
