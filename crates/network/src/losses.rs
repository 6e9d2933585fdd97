//! Frames that are lost on their way, as the network's `loss` says: what its receiver would have got isn't there.
//!
//! One by one and each as likely as the other, which is what noise does. What a switch has no room for is another matter (`room`).

use super::parameters::NetworkParameters;
use super::train::Train;
use petrio_colours::Verb;
use petrio_kernel::{Firing, PageBuilder, Stream};
use petrio_random::uniform;

/// How a receiver's frames are lost.
#[derive(Clone, Copy)]
pub(super) struct Losses {
    share: f64,
    draws: Stream,
    /// Frames of TCP, too, which sends them again.
    of_tcp: bool,
}

impl Losses {
    /// Those at a receiver's page; none where nothing is lost.
    pub(super) fn at(page: &mut PageBuilder<'_>, parameters: &NetworkParameters) -> Option<Self> {
        let share = parameters.loss.get();
        (share > 0.0).then(|| Self { share, draws: page.stream("loss"), of_tcp: parameters.runs_tcp() })
    }

    /// Whether a frame that would arrive has been lost.
    pub(super) fn has(self, f: &mut Firing<'_>, train: &Train) -> bool {
        let is_datagram = train.message.as_ref().is_some_and(|message| message.verb == Verb::Datagram);
        (self.of_tcp || is_datagram) && uniform(f.random(self.draws)) < self.share
    }
}
