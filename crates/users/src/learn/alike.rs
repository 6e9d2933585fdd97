//! Sessions that are alike: kinds of sessions, such as those of one program on files of one size.
//!
//! Sessions differ in how many files they use, how large these are, how much of them they access, and how often they look
//! at files' attributes. The sessions of a trace are split in two where that leaves the least squared distance of the
//! logarithms of these from their means, and the parts again, until what is left is a small part of the whole (a
//! regression tree on the sessions themselves: J. A. Hartigan, *Clustering Algorithms*, 1975, ch. 6, "splitter").

use super::used::Session;

/// Part of the squared distances that may be left.
const LEFT_MOST: f64 = 0.01;
const FEATURES: usize = 5;

/// Sums over some sessions.
#[derive(Clone, Copy, Default)]
struct Sums {
    n: f64,
    sum: [f64; FEATURES],
    square: f64,
}

impl Sums {
    fn add(&mut self, point: &[f64; FEATURES]) {
        self.n += 1.0;
        for (sum, value) in self.sum.iter_mut().zip(point) {
            *sum += value;
            self.square += value * value;
        }
    }

    fn less(&self, other: &Self) -> Self {
        Self {
            n: self.n - other.n,
            sum: std::array::from_fn(|at| self.sum[at] - other.sum[at]),
            square: self.square - other.square,
        }
    }

    /// The squared distance from the mean.
    fn distance(&self) -> f64 {
        if self.n < 1.0 {
            return 0.0;
        }
        (self.square - self.sum.iter().map(|sum| sum * sum).sum::<f64>() / self.n).max(0.0)
    }
}

fn of(points: &[[f64; FEATURES]], members: &[usize]) -> Sums {
    let mut sums = Sums::default();
    members.iter().for_each(|member| sums.add(&points[*member]));
    sums
}

/// Sessions as points: logarithms, in standard deviations.
fn points(sessions: &[Session]) -> Vec<[f64; FEATURES]> {
    let mut points: Vec<[f64; FEATURES]> = sessions
        .iter()
        .map(|session| {
            [
                session.files.len() as f64,
                session.bytes() as f64,
                session.mean_size(),
                session.accesses_per_byte() * 100.0,
                f64::from(session.looks),
            ]
            .map(|value| libm::log1p(value.max(0.0)))
        })
        .collect();
    let n = points.len().max(1) as f64;
    for at in 0..FEATURES {
        let mean = points.iter().map(|point| point[at]).sum::<f64>() / n;
        let square = |point: &[f64; FEATURES]| (point[at] - mean) * (point[at] - mean);
        let deviation = (points.iter().map(square).sum::<f64>() / n).sqrt();
        let scale = if deviation > 1e-9 { 1.0 / deviation } else { 0.0 };
        points.iter_mut().for_each(|point| point[at] = (point[at] - mean) * scale);
    }
    points
}

/// The numbers of sessions that are alike, in `most` groups at most; the largest first.
pub(super) fn groups(sessions: &[Session], most: usize) -> Vec<Vec<usize>> {
    let points = points(sessions);
    let all: Vec<usize> = (0..points.len()).collect();
    let whole = of(&points, &all).distance();
    let mut groups = vec![(whole, all)];
    while groups.len() < most.max(1) {
        let left: f64 = groups.iter().map(|group| group.0).sum();
        if left <= whole * LEFT_MOST {
            break;
        }
        let widest =
            (0..groups.len()).fold(0, |best, at| if groups[at].0 > groups[best].0 { at } else { best });
        let Some((one, other)) = split(&points, &groups[widest].1) else { break };
        groups.swap_remove(widest);
        groups.extend([one, other].map(|members| (of(&points, &members).distance(), members)));
    }
    let mut found: Vec<Vec<usize>> = groups.into_iter().map(|(_, members)| members).collect();
    found.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.iter().min().cmp(&b.iter().min())));
    found
}

/// The two parts that are least apart in themselves.
fn split(points: &[[f64; FEATURES]], members: &[usize]) -> Option<(Vec<usize>, Vec<usize>)> {
    let whole = of(points, members);
    let mut best: Option<(f64, usize, f64)> = None;
    let mut sorted = members.to_vec();
    for at in 0..FEATURES {
        sorted.sort_by(|a, b| points[*a][at].total_cmp(&points[*b][at]));
        let mut below = Sums::default();
        for two in sorted.windows(2) {
            below.add(&points[two[0]]);
            let (here, next) = (points[two[0]][at], points[two[1]][at]);
            if next - here <= 1e-12 {
                continue;
            }
            let left = below.distance() + whole.less(&below).distance();
            if best.is_none_or(|(least, ..)| left < least) {
                best = Some((left, at, f64::midpoint(here, next)));
            }
        }
    }
    let (_, at, bound) = best?;
    let (one, other): (Vec<usize>, Vec<usize>) =
        members.iter().partition(|member| points[**member][at] <= bound);
    Some((one, other))
}

#[cfg(test)]
mod tests {
    use super::super::used::OfFile;
    use super::*;
    use petrio_trace::event::FileKey;

    fn session(files: u64, bytes: u64) -> Session {
        let used = OfFile { bytes, size: bytes, ..OfFile::default() };
        let file = |inode| (FileKey { device: 1, inode, generation: 0 }, used);
        Session { files: (0..files).map(file).collect(), ..Session::default() }
    }

    #[test]
    fn sessions_of_two_programs_are_two_kinds_and_no_more() {
        let sessions: Vec<Session> = (0..90)
            .map(|number| if number % 3 == 0 { session(80, 6_000) } else { session(7, 800) })
            .collect();
        let found = groups(&sessions, 24);
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [60, 30]);
        assert!(found[1].iter().all(|number| number % 3 == 0));
        assert_eq!(groups(&sessions, 1).len(), 1);
        assert_eq!(groups(&sessions[..1], 24).len(), 1);
    }

    #[test]
    fn what_varies_smoothly_is_divided_until_a_hundredth_is_left_or_there_are_enough_kinds() {
        let sessions: Vec<Session> = (1..=200).map(|number| session(number, 1_000)).collect();
        assert_eq!(groups(&sessions, 4).len(), 4);
        assert!((6..24).contains(&groups(&sessions, 64).len()), "{}", groups(&sessions, 64).len());
    }
}
