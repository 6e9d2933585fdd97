//! A process that waits for messages: the first that comes wakes it, and it hears all that have come once it runs.

use petrio_colours::Message;
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_random::exponential;
use petrio_units::Duration;

/// Where messages are heard once their process has woken up, which takes an exponential time of this mean; none takes no
/// time, and no transition.
pub(super) fn heard_awake(
    page: &mut PageBuilder<'_>,
    received: Place<Box<Message>>,
    mean: Duration,
) -> Place<Box<Message>> {
    if mean.time() == Time::ZERO {
        return received;
    }
    let mean = mean.time().as_seconds();
    let awake = page.fifo("awake");
    let wakes_at = page.state("wakes up", Time::ZERO);
    let draws = page.stream("wake up");
    let mut wake = page.transition("wake");
    let message = wake.take(received);
    let wakes_at = wake.update(wakes_at);
    let hears = wake.put(awake);
    wake.action(move |f| {
        let message = f.take(message);
        let now = f.now();
        if *f.get(wakes_at) < now {
            let after = Time::from_seconds(exponential(f.random(draws), mean));
            *f.update(wakes_at) = now + after;
        }
        let after = *f.get(wakes_at) - now;
        f.put_after(hears, message, after);
    });
    awake
}
