//! How long a call waits for its answer, how often it is sent again, and when its client gives up.
//!
//! Over UDP the time-out is what round trips of its kind of procedure take, by the kernel's estimator (`rpc_update_rtt` and `rpc_calc_rto`,
//! net/sunrpc/timer.c, after Van Jacobson 1988), doubled with each time-out, or, as of clients of 1990, `timeo` doubled each time. Over TCP it
//! grows by `timeo` each time (`xprt_adjust_timeout`, net/sunrpc/xprt.c). After `retrans` of them a major time-out has come: a soft mount's
//! call fails, a hard one's begins anew.

use petrio_colours::Failure;
use petrio_host::nfs::{GivesUp, MountOptions, Procedure};
use petrio_kernel::Time;
use petrio_persist::Persist;

/// The longest time-out of UDP (`NFS_MAX_UDP_TIMEOUT`), and of TCP (`NFS_MAX_TCP_TIMEOUT`).
const MOST_UDP: Time = Time::from_whole_seconds(60);
const MOST_TCP: Time = Time::from_whole_seconds(600);
/// What the estimator begins with and the least deviation that it believes (`RPC_RTO_INIT` and `RPC_RTO_MIN`).
const FIRST_DEVIATION: Time = Time::from_millis(200);
const LEAST_DEVIATION: Time = Time::from_millis(100);
/// Time-outs in a row that are remembered (`rpc_set_timeo`).
const MOST_TIME_OUTS: u32 = 8;

/// What a mount's calls wait for, and for how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// The first time-out (`timeo`).
    first: Time,
    retransmissions: u32,
    /// Why a call of a soft mount fails.
    pub(super) gives_up: Option<Failure>,
    pub(super) udp: bool,
    /// Time-outs follow round trips.
    estimates: bool,
}

impl Patience {
    /// That of a mount; without the estimator time-outs of UDP are `timeo`, doubled each time.
    pub(super) fn of(options: &MountOptions, estimates: bool) -> Self {
        let gives_up = match options.gives_up {
            GivesUp::Never => None,
            GivesUp::WithError => Some(Failure::NoAnswer),
            GivesUp::WithTimeOut => Some(Failure::TimedOut),
        };
        let (first, retransmissions) = (options.time_out.time(), options.retransmissions);
        Self { first, retransmissions, gives_up, udp: options.udp, estimates: estimates && options.udp }
    }

    /// From a call's first time-out to its major one (`xprt_calc_majortimeo`).
    fn major(&self) -> Time {
        let first = self.first.as_picos();
        let (span, most) = match self.udp {
            true => (first.saturating_mul(1 << self.retransmissions.min(20)), MOST_UDP.max(self.first)),
            false => (first.saturating_mul(u64::from(self.retransmissions) + 1), MOST_TCP.max(self.first)),
        };
        Time::from_picos(span).min(most)
    }

    /// The time-out of one that has had so many minor ones.
    fn wait(&self, minor: u32, (trips, procedure): (&RoundTrips, Procedure)) -> Time {
        let doubled =
            |span: Time, times: u32| Time::from_picos(span.as_picos().saturating_mul(1 << times.min(20)));
        if !self.udp {
            let span = self.first.as_picos().saturating_mul(u64::from(minor) + 1);
            return Time::from_picos(span).min(MOST_TCP.max(self.first));
        }
        let span = match trips.class(procedure).filter(|_| self.estimates) {
            Some(class) => doubled(class.time_out(), class.time_outs + minor),
            None => doubled(self.first, minor),
        };
        span.min(MOST_UDP)
    }
}

/// What is known of the round trips of a kind of procedure.
#[derive(Clone, Copy, Debug, Persist)]
struct Class {
    smoothed: Time,
    deviation: Time,
    /// Retransmissions that the latest ones needed.
    time_outs: u32,
}

impl Class {
    fn time_out(&self) -> Time {
        self.smoothed.saturating_add(self.deviation).min(MOST_UDP)
    }
}

/// The round trips of a mount, by kinds of procedures (`p_timer` of fs/nfs/nfs2xdr.c and nfs3xdr.c).
#[derive(Clone, Debug, Persist)]
pub(super) struct RoundTrips([Class; 5]);

impl RoundTrips {
    /// As they are supposed to be before any was measured (`rpc_init_rtt`).
    pub(super) fn new(patience: &Patience) -> Self {
        let smoothed = patience.first.saturating_sub(FIRST_DEVIATION);
        Self([Class { smoothed, deviation: FIRST_DEVIATION, time_outs: 0 }; 5])
    }

    /// Which kind a procedure is of; the others wait for `timeo`.
    const fn kind(procedure: Procedure) -> Option<usize> {
        Some(match procedure {
            Procedure::GetAttributes | Procedure::Access => 0,
            Procedure::LookUp => 1,
            Procedure::ReadLink
            | Procedure::Read
            | Procedure::ReadDirectory
            | Procedure::ReadDirectoryPlus => 2,
            Procedure::Write => 3,
            Procedure::Commit => 4,
            _ => return None,
        })
    }

    fn class(&self, procedure: Procedure) -> Option<&Class> {
        Self::kind(procedure).and_then(|kind| self.0.get(kind))
    }

    /// A call was answered after so long, and after so many times that it was sent (`xprt_update_rtt`): of one that was sent again nobody
    /// knows which of them was answered.
    fn answered(&mut self, procedure: Procedure, span: Time, times: u32) {
        let Some(class) = Self::kind(procedure).and_then(|kind| self.0.get_mut(kind)) else { return };
        if times == 1 {
            let off = class.smoothed.saturating_sub(span).max(span.saturating_sub(class.smoothed));
            class.smoothed = part(class.smoothed, 7, span, 8);
            class.deviation = part(class.deviation, 3, off, 4).max(LEAST_DEVIATION);
        }
        let again = times.saturating_sub(1);
        class.time_outs = if again < class.time_outs {
            class.time_outs.saturating_sub(1)
        } else {
            again.min(MOST_TIME_OUTS)
        };
    }
}

/// So many parts of one, and one part of the other.
fn part(one: Time, parts: u64, other: Time, of: u64) -> Time {
    Time::from_picos(one.as_picos() / of * parts + other.as_picos() / of)
}

/// How many calls may be on their way over UDP at a time: one to begin with, one more for each window that was answered, half as many after a
/// time-out (`xprt_adjust_cwnd`, net/sunrpc/xprt.c); in parts of a call.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Window {
    size: u64,
    most: u64,
    on_their_way: u64,
}

const ONE: u64 = 256;

impl Window {
    /// Of a mount with so many slots.
    pub(super) fn new(slots: u32) -> Self {
        Self { size: ONE, most: u64::from(slots) * ONE, on_their_way: 0 }
    }

    pub(super) const fn has_room(&self) -> bool {
        self.on_their_way < self.size
    }

    pub(super) const fn send(&mut self) {
        self.on_their_way += ONE;
    }

    /// One is answered, or given up.
    pub(super) fn answered(&mut self) {
        if self.on_their_way >= self.size {
            self.size = (self.size + (ONE * ONE + self.size / 2) / self.size).min(self.most);
        }
        self.leave();
    }

    /// One has timed out: it counts as on its way again once it is sent again.
    pub(super) fn timed_out(&mut self) {
        self.size = (self.size / 2).max(ONE);
    }

    pub(super) const fn leave(&mut self) {
        self.on_their_way = self.on_their_way.saturating_sub(ONE);
    }
}

/// What has been tried of a call.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Attempt {
    procedure: Procedure,
    /// When it was sent last.
    sent: Time,
    /// When it is sent again.
    pub(super) deadline: Time,
    major: Time,
    minor: u32,
    /// How often it has been sent.
    pub(super) times: u32,
    /// How often the server has asked to wait until clients of an earlier instance have reclaimed what they had.
    polls: u32,
}

/// What comes after a time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    Again,
    GivesUp(Failure),
}

impl Attempt {
    /// A call is sent for the first time.
    pub(super) fn new(procedure: Procedure, (patience, trips): (&Patience, &RoundTrips), now: Time) -> Self {
        let wait = patience.wait(0, (trips, procedure));
        let (deadline, major) = (now.saturating_add(wait), now.saturating_add(patience.major()));
        Self { procedure, sent: now, deadline, major, minor: 0, times: 1, polls: 0 }
    }

    /// Its time is out.
    pub(super) fn time_out(&mut self, patience: &Patience, trips: &mut RoundTrips, now: Time) -> Then {
        if now < self.major {
            self.minor += 1;
            return Then::Again;
        }
        if let Some(failure) = patience.gives_up {
            return Then::GivesUp(failure);
        }
        *trips = RoundTrips::new(patience);
        (self.minor, self.major) = (0, now.saturating_add(patience.major()));
        Then::Again
    }

    /// It is sent again.
    pub(super) fn again(&mut self, (patience, trips): (&Patience, &RoundTrips), now: Time) {
        self.times += 1;
        self.sent = now;
        self.deadline = now.saturating_add(patience.wait(self.minor, (trips, self.procedure)));
    }

    /// The server wants it later: after a tenth of a second, and twice as long each time, up to 15 s (`NFS4_POLL_RETRY_MIN` and `MAX`).
    pub(super) fn later(&mut self, now: Time) {
        let span = Time::from_picos(Time::from_millis(100).as_picos() << self.polls.min(8));
        self.polls += 1;
        self.deadline = now.saturating_add(span.min(Time::from_whole_seconds(15)));
        self.major = self.major.max(self.deadline.saturating_add(Time::from_picos(1)));
    }

    /// It is answered.
    pub(super) fn answered(&self, trips: &mut RoundTrips, now: Time) {
        trips.answered(self.procedure, now.saturating_sub(self.sent), self.times);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn mount(options: &str, estimates: bool) -> (Patience, RoundTrips) {
        let patience = Patience::of(&MountOptions::parse(options).unwrap(), estimates);
        (patience, RoundTrips::new(&patience))
    }

    /// When a call is sent again that nobody answers, in milliseconds, and when it is given up.
    fn unanswered((patience, mut trips): (Patience, RoundTrips), most: usize) -> (Vec<u64>, Option<u64>) {
        let mut attempt = Attempt::new(Procedure::Read, (&patience, &trips), Time::ZERO);
        let mut again = Vec::new();
        let millis = |time: Time| time.as_picos() / 1_000_000_000;
        while again.len() < most {
            let now = attempt.deadline;
            match attempt.time_out(&patience, &mut trips, now) {
                Then::Again => attempt.again((&patience, &trips), now),
                Then::GivesUp(_) => return (again, Some(millis(now))),
            }
            again.push(millis(now));
        }
        (again, None)
    }

    #[test]
    fn a_soft_mount_over_udp_gives_up_after_its_retransmissions() {
        let soft = mount("vers=3,proto=udp,soft,timeo=11,retrans=3", false);
        assert_eq!(unanswered(soft, 9), (vec![1_100, 3_300, 7_700], Some(16_500)));
        let earlier = mount("vers=3,proto=udp,soft,timeo=7,retrans=2", false);
        assert_eq!(unanswered(earlier, 9), (vec![700, 2_100], Some(4_900)));
    }

    #[test]
    fn over_tcp_time_outs_grow_by_timeo_and_a_hard_mount_never_gives_up() {
        assert_eq!(unanswered(mount("vers=3,soft", true), 9), (vec![60_000], Some(180_000)));
        let (again, given_up) = unanswered(mount("vers=3,timeo=10,retrans=1", true), 6);
        assert_eq!((again, given_up), (vec![1_000, 3_000, 4_000, 6_000, 7_000, 9_000], None));
    }

    #[test]
    fn time_outs_follow_what_round_trips_take() {
        let (patience, mut trips) = mount("vers=3,proto=udp", true);
        for _ in 0..100 {
            trips.answered(Procedure::Read, Time::from_millis(4), 1);
        }
        let wait = |trips: &RoundTrips, procedure| patience.wait(0, (trips, procedure));
        let read = wait(&trips, Procedure::Read).as_millis();
        assert!((104.0..106.0).contains(&read), "a deviation of 100 ms at least: {read}");
        assert_eq!(wait(&trips, Procedure::Remove), Time::from_millis(1_100), "no kind of its own: timeo");
        // One that took three sendings says nothing of the way, and that the next may need longer.
        trips.answered(Procedure::Read, Time::from_millis(900), 3);
        let longer = wait(&trips, Procedure::Read).as_millis();
        assert!((longer - 4.0 * read).abs() < 0.1, "{longer}");
    }

    #[test]
    fn a_window_grows_by_one_for_each_that_is_answered_and_is_halved_by_a_time_out() {
        let mut window = Window::new(16);
        let mut all = Vec::new();
        for _ in 0..200 {
            let mut sent = 0;
            while window.has_room() {
                window.send();
                sent += 1;
            }
            (0..sent).for_each(|_| window.answered());
            all.push(sent);
        }
        assert_eq!(all[..3], [1, 2, 3]);
        assert!(all.is_sorted() && all.last() == Some(&16), "{all:?}");
        let before = window.size;
        window.timed_out();
        assert_eq!(window.size, before / 2);
    }
}
