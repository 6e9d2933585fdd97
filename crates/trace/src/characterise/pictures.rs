//! Offsets over time of the busiest files or devices: points for pictures such as the dissertation's figures 16 and 33
//! to 37.
//!
//! The busiest sixteen are followed, those with the most requests. Of each at most 4,096 requests are kept, a fair
//! sample over the whole time: a request stays if the hash of its number lies below a bound, which is halved when there
//! is no more room. One that becomes busy late is followed from then on, and says so. Memory is bounded, but for eight
//! bytes for every file.
//!
//! Source: the dissertation (*Storage system performance prediction with Petri nets*), figures 16 and 33–37: location
//! of the request over its order.

use super::transfer::{Transfer, Way};
use petrio_random::mix;
use serde::Serialize;

/// Files or devices followed at once.
const PICTURES_MAX: usize = 16;
/// Points of each.
const POINTS_MAX: usize = 4_096;
/// One that isn't followed takes a place once it has so many times the requests of the least busy that is.
const BUSIER: u32 = 2;
const NONE: u8 = u8::MAX;

/// The number of a picture of at most [`PICTURES_MAX`].
fn as_picture(number: usize) -> u8 {
    u8::try_from(number).unwrap_or(NONE)
}

#[derive(Clone, Copy, Debug)]
struct Subject {
    requests: u32,
    picture: u8,
}

#[derive(Debug)]
struct Followed {
    subject: u32,
    /// Requests before it was followed.
    before: u64,
    seen: u64,
    /// A request stays if its hash is not above this.
    bound: u64,
    points: Vec<(u64, PicturePoint)>,
}

#[derive(Debug, Default)]
pub(super) struct Pictures {
    subjects: Vec<Subject>,
    followed: Vec<Followed>,
    /// Requests that the least busy of those followed had when it was last looked.
    least: u32,
}

/// A request in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PicturePoint {
    /// When it began, seconds from the trace's origin.
    pub time_s: f64,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
    /// Whether it was a write.
    pub write: bool,
}

/// A picture, of the file or device with this number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Picture {
    pub(super) subject: u32,
    pub(super) requests: u64,
    pub(super) before: u64,
    pub(super) points: Vec<PicturePoint>,
}

impl Pictures {
    #[inline]
    pub(super) fn add(&mut self, subject: u32, transfer: &Transfer) {
        let Some(offset) = transfer.offset else { return };
        let index = subject as usize;
        if index >= self.subjects.len() {
            self.subjects.resize(index + 1, Subject { requests: 0, picture: NONE });
        }
        let known = &mut self.subjects[index];
        known.requests = known.requests.saturating_add(1);
        if known.picture == NONE {
            if self.followed.len() == PICTURES_MAX && known.requests <= self.least.saturating_mul(BUSIER) {
                return;
            }
            if !self.follow(subject) {
                return;
            }
        }
        let followed = &mut self.followed[self.subjects[index].picture as usize];
        let mark = mix(followed.seen);
        followed.seen += 1;
        if mark <= followed.bound {
            let point = PicturePoint {
                time_s: transfer.time.as_seconds(),
                offset,
                length: transfer.length,
                write: transfer.way == Way::Write,
            };
            followed.keep(mark, point);
        }
    }

    /// Finds a place for a subject, if it is busy enough for one.
    #[cold]
    fn follow(&mut self, subject: u32) -> bool {
        let requests = self.subjects[subject as usize].requests;
        let fresh = Followed {
            subject,
            before: u64::from(requests) - 1,
            seen: 0,
            bound: u64::MAX,
            points: Vec::new(),
        };
        if self.followed.len() < PICTURES_MAX {
            self.subjects[subject as usize].picture = as_picture(self.followed.len());
            self.followed.push(fresh);
            return true;
        }
        let of = |followed: &Followed| self.subjects[followed.subject as usize].requests;
        let Some(place) = (0..self.followed.len()).min_by_key(|place| of(&self.followed[*place])) else {
            return false;
        };
        self.least = of(&self.followed[place]);
        if requests <= self.least.saturating_mul(BUSIER) {
            return false;
        }
        self.subjects[self.followed[place].subject as usize].picture = NONE;
        self.subjects[subject as usize].picture = as_picture(place);
        self.followed[place] = fresh;
        true
    }

    /// The busiest first.
    pub(super) fn finish(self) -> Vec<Picture> {
        let mut pictures: Vec<Picture> = self
            .followed
            .into_iter()
            .map(|followed| Picture {
                subject: followed.subject,
                requests: followed.before + followed.seen,
                before: followed.before,
                points: followed.points.into_iter().map(|(_, point)| point).collect(),
            })
            .collect();
        pictures.sort_by_key(|picture| (std::cmp::Reverse(picture.requests), picture.subject));
        pictures
    }
}

impl Followed {
    fn keep(&mut self, mark: u64, point: PicturePoint) {
        if self.points.len() == POINTS_MAX {
            self.bound /= 2;
            let bound = self.bound;
            self.points.retain(|(mark, _)| *mark <= bound);
            if mark > bound {
                return;
            }
        }
        self.points.push((mark, point));
    }
}

/// What one file or device was asked for over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OffsetsOverTime {
    /// The file's path, or a name made of its numbers.
    pub name: String,
    /// Its requests with a known offset.
    pub requests: u64,
    /// Its first requests, before it was busy enough to be followed; the points are a sample of the others.
    pub not_followed: u64,
    /// At most 4,096 requests, in order of time.
    pub points: Vec<PicturePoint>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use petrio_time::Time;

    fn read(number: u64) -> Transfer {
        Transfer {
            time: Time::from_micros(number),
            process: 1,
            subject: None,
            way: Way::Read,
            offset: Some(number * 512),
            length: 512,
        }
    }

    #[test]
    fn a_short_trace_is_kept_whole_and_in_order() {
        let mut pictures = Pictures::default();
        (0..4_096).for_each(|number| pictures.add(3, &read(number)));
        let found = pictures.finish();
        assert_eq!(
            (found.len(), found[0].subject, found[0].requests, found[0].points.len()),
            (1, 3, 4_096, 4_096)
        );
        assert!(
            found[0].points.iter().enumerate().all(|(number, point)| point.offset == number as u64 * 512)
        );
    }

    #[test]
    fn a_long_one_is_sampled_over_its_whole_length() {
        let mut pictures = Pictures::default();
        let requests = 1_000_000;
        (0..requests).for_each(|number| pictures.add(0, &read(number)));
        let found = &pictures.finish()[0];
        assert_eq!(found.requests, requests);
        assert!((1_500..=4_096).contains(&found.points.len()), "{}", found.points.len());
        // As many in each tenth, give or take what chance gives.
        for tenth in 0..10 {
            let bounds = tenth * requests / 10 * 512..(tenth + 1) * requests / 10 * 512;
            let within = found.points.iter().filter(|point| bounds.contains(&point.offset)).count();
            let expected = found.points.len() / 10;
            assert!(
                within.abs_diff(expected) < expected / 4,
                "{within} in tenth {tenth}, expected {expected}"
            );
        }
    }

    #[test]
    fn a_file_that_becomes_busy_late_takes_the_place_of_the_least_busy() {
        let mut pictures = Pictures::default();
        for subject in 0..16 {
            (0..100).for_each(|number| pictures.add(subject, &read(number)));
        }
        (0..150).for_each(|number| pictures.add(16, &read(number)));
        (0..1_000).for_each(|number| pictures.add(17, &read(number)));
        let found = pictures.finish();
        assert_eq!(found.len(), 16);
        assert_eq!((found[0].subject, found[0].requests, found[0].before), (17, 1_000, 200));
        assert_eq!(found[0].points.len(), 800);
        assert!(found.iter().all(|picture| picture.subject != 16));
    }
}
