//! What is measured, and when a run stops.

use crate::checker::Checker;
use crate::scenario::Scenario;
use crate::schema::WarmUp;

impl Checker<'_, '_> {
    pub(super) fn measure(&mut self, scenario: &Scenario) {
        let measure = &scenario.measure;
        if measure.replications == 0 {
            self.error("measure.replications", "0 replications are no run at all", "write 1 or more");
        }
        let level = measure.confidence.get();
        if level <= 0.0 || level >= 1.0 {
            let message = "a confidence level lies between 0 and 1 and is neither";
            self.error("measure.confidence", message, "write 0.95, or \"95 %\"");
        }
        if measure.months == 0 {
            self.error("measure.months", "over 0 months nothing is rented", "write 1 or more, such as 36");
        }
        if measure.stop.requests == Some(0) {
            self.error(
                "measure.stop.requests",
                "a run that stops after 0 requests measures nothing",
                "write more",
            );
        }
        if measure.stop.precision.is_some_and(|precision| precision.get() <= 0.0) {
            let help = "write \"5 %\" or so";
            self.error("measure.stop.precision", "a precision of 0 is never reached", help);
        }
        if let (Some(stop), Some(limit)) = (measure.stop.requests, measure.max_requests)
            && limit < stop
        {
            let message = format!("a run of {stop} requests never comes past max_requests = {limit}");
            self.error("measure.max_requests", message, "make it larger than stop.requests, or leave it out");
        }
        if let (Some(stop), Some(limit)) = (measure.stop.time, measure.max_time)
            && limit < stop
        {
            let message = format!("a run of {stop} never comes past max_time = \"{limit}\"");
            self.error("measure.max_time", message, "make it longer than stop.time, or leave it out");
        }
        if let (WarmUp::Span(warm_up), Some(stop)) = (measure.warm_up, measure.stop.time)
            && warm_up >= stop
        {
            let message = format!("the warm-up of {warm_up} leaves nothing of a run of {stop}");
            self.error("measure.warm_up", message, "make it shorter than stop.time");
        }
    }
}
