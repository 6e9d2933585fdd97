//! The analytic disk of Ivy: seek by formula, rotation by chance, transfer at a fixed rate, one request after the
//! other.
//!
//! Source: S.-L. Lo, "Ivy: a study on replicating data for performance improvement" (HPL-CSP-90-48, 1990), §4.2. For
//! the distance d in cylinders the seek takes `near_base + near_root·√d − near_slope·d` up to a knee and
//! `far_base + far_slope·d` beyond; the rotational latency is uniform between nothing and a revolution (§4.2.2); data
//! move at 1 MB/s; the controller adds 1 ms (HP 7937) or 3.5 ms (HP 7935). The far branches are misprinted there as
//! 0.18 d and 0.21 d: continuity at the knee demands 0.018 and 0.021. Leaves out zones, skews, caches and where the
//! platter stands; [`crate::disk`] has those.
//!
//! Who waits lies in the [`Arm`], a state that others may look at: it tells what a further request would meet.

mod arm;
mod block_device;
mod page;

use arm::Way;
pub use arm::{Arm, Outlook};
pub use page::{AnalyticDisk, analytic_disk_page};

use super::one_at_a_time::{MOST_STEPS, Plan, ServicePhase};
use petrio_colours::{BlockRequest, Cause, Direction};
use petrio_kernel::Time;
use petrio_stage::cost::Cost;
use petrio_stage::lever::doubled;
use petrio_stage::reliability::Reliability;
use petrio_stage::{Lever, TWICE};
use petrio_units::numbers::{as_number, in_proportion};
use petrio_units::{Blocks, Duration, Rate, RotationSpeed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A disk whose access time is a formula.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalyticDiskParameters {
    /// What the drive is called.
    pub name: String,
    /// Where the figures come from.
    #[serde(default)]
    pub source: String,
    /// What one costs, and what it draws.
    #[serde(default, skip_serializing_if = "Cost::is_empty")]
    pub cost: Cost,
    /// How long one lives, and how often what it holds can't be read.
    #[serde(default, skip_serializing_if = "Reliability::is_empty")]
    pub reliability: Reliability,
    /// Size in blocks of 512 bytes, spread evenly over the cylinders.
    pub blocks: Blocks,
    /// Cylinders, at least one.
    pub cylinders: u32,
    /// Speed of rotation.
    pub rotation: RotationSpeed,
    /// Rate at which data move.
    pub rate: Rate,
    /// Controller overhead of each request.
    pub controller: Duration,
    /// The seek formula.
    pub seek: AnalyticSeek,
}

/// Seek time by distance: nothing for none, else in two branches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalyticSeek {
    /// Last distance of the near branch, in cylinders.
    pub knee_cylinders: u32,
    /// Constant of the near branch.
    pub near_base: Duration,
    /// Coefficient of the root of the distance.
    pub near_root: Duration,
    /// What each cylinder takes off in the near branch.
    pub near_slope: Duration,
    /// Constant of the far branch.
    pub far_base: Duration,
    /// What each cylinder adds in the far branch.
    pub far_slope: Duration,
}

impl AnalyticSeek {
    /// The time of a seek.
    pub fn time(&self, distance: u32) -> Time {
        let d = f64::from(distance);
        match distance {
            0 => Time::ZERO,
            near if near <= self.knee_cylinders => Time::from_seconds(
                self.near_base.as_seconds() + self.near_root.as_seconds() * libm::sqrt(d)
                    - self.near_slope.as_seconds() * d,
            ),
            _ => Time::from_seconds(self.far_base.as_seconds() + self.far_slope.as_seconds() * d),
        }
    }
}

impl AnalyticDiskParameters {
    /// What could be changed about it; its parameters stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let seek = &self.seek;
        let twice = RotationSpeed::new(self.rotation.revolutions_per_minute() * TWICE);
        let levers = [
            Lever::twice("service", "seeks", "seeks twice as fast")
                .halved(path, "seek.near_base", seek.near_base)
                .halved(path, "seek.near_root", seek.near_root)
                .halved(path, "seek.near_slope", seek.near_slope)
                .halved(path, "seek.far_base", seek.far_base)
                .halved(path, "seek.far_slope", seek.far_slope)
                .covering(&["seeks"]),
            Lever::twice("service", "rotation", "rotation twice as fast")
                .set_some(path, "rotation", twice)
                .covering(&["rotation"]),
            Lever::twice("service", "media transfer", "media transfer twice as fast")
                .set_some(path, "rate", doubled(self.rate))
                .covering(&["media transfer"]),
            Lever::twice("service", "controller overheads", "controller overheads half as long")
                .halved(path, "controller", self.controller)
                .covering(&["controller overheads"]),
        ];
        levers.into_iter().filter_map(Lever::if_any).collect()
    }

    /// The cylinder of a block.
    fn cylinder(&self, block: u64) -> u32 {
        let cylinders = u64::from(self.cylinders.max(1));
        as_number(in_proportion(block, cylinders, self.blocks.get().max(1)).min(cylinders - 1))
    }

    /// How long the platter takes for part of a revolution.
    fn turned(&self, turn: f64) -> Time {
        Time::from_seconds(turn * self.rotation.revolution().as_seconds())
    }

    /// How long each step of a request takes to which the arm moves by this way; `turn` says how much of a revolution it
    /// waits.
    fn plan(&self, way: Way, request: &BlockRequest, turn: f64) -> Plan {
        if request.direction == Direction::Flush {
            // Every write is on the medium when it completes.
            return [Time::ZERO; MOST_STEPS];
        }
        let mut plan = [Time::ZERO; MOST_STEPS];
        plan[0] = self.controller.time();
        plan[1] = way.into_iter().map(|cylinders| self.seek.time(cylinders)).sum();
        plan[2] = self.turned(turn);
        plan[3] = self.rate.time_for(request.bytes());
        plan
    }
}

const STEPS: &[ServicePhase] = &[
    ServicePhase { name: "controller", cause: Cause::Overhead, word: "controller overheads" },
    ServicePhase { name: "seek", cause: Cause::Seek, word: "seeks" },
    ServicePhase { name: "rotation", cause: Cause::Rotation, word: "rotation" },
    ServicePhase { name: "media", cause: Cause::Transfer, word: "media transfer" },
];

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::disk::parameters::QueueDiscipline;
    use petrio_colours::{IoClass, RequestId};
    use petrio_kernel::{NetBuilder, Simulation};
    use proptest::prelude::*;

    const FCFS: QueueDiscipline = QueueDiscipline::FirstCome;

    /// HP 7937 (Ivy, §4.2); size and cylinders are of no account to the claims below.
    pub(crate) fn hp_7937() -> AnalyticDiskParameters {
        let ms = |text: &str| text.parse().unwrap();
        AnalyticDiskParameters {
            name: "HP 7937".to_owned(),
            source: "Ivy, section 4.2".to_owned(),
            cost: Default::default(),
            reliability: Default::default(),
            blocks: Blocks(1_000_000),
            cylinders: 1_000,
            rotation: "3600 rpm".parse().unwrap(),
            rate: "1 MB/s".parse().unwrap(),
            controller: ms("1 ms"),
            seek: AnalyticSeek {
                knee_cylinders: 384,
                near_base: ms("4.119 ms"),
                near_root: ms("0.89 ms"),
                near_slope: ms("0.004 ms"),
                far_base: ms("12.909 ms"),
                far_slope: ms("0.018 ms"),
            },
        }
    }

    #[test]
    fn the_branches_of_the_seek_formula_meet_at_the_knee() {
        let seek = hp_7937().seek;
        let (near, far) = (seek.time(384).as_millis(), seek.time(385).as_millis());
        assert!((near - 20.023).abs() < 0.001, "{near}");
        assert!((far - near).abs() < 0.25, "{near} and {far}");
        assert_eq!(seek.time(0), Time::ZERO);
    }

    #[test]
    fn the_mean_access_time_is_the_sum_of_its_parts() {
        let parameters = hp_7937();
        let mut net = NetBuilder::new("test");
        let mut page = net.top();
        let (requests, completions) = (page.fifo("requests"), page.fifo("completions"));
        analytic_disk_page(&mut page, "disk", (&parameters, FCFS), requests, completions);
        let net = net.build().unwrap();
        let mut run = Simulation::new(&net, 7, 0);
        // To and fro over 100 cylinders, 8 KB each, one at a time.
        let count = 2_000u32;
        for number in 0..count {
            let address = if number % 2 == 0 { 100_000 } else { 0 };
            let request = BlockRequest { address, blocks: 16, ..BlockRequest::default() };
            run.inject(requests, request, Time::ZERO).unwrap();
        }
        run.run_to_end().unwrap();
        assert_eq!(run.drain(completions).count(), count as usize);
        let mean = run.now().as_millis() / f64::from(count);
        let parts = 1.0 + (4.119 + 8.9 - 0.4) + 60_000.0 / 3600.0 / 2.0 + 8.192;
        // The mean of 2000 uniform draws of a revolution has a standard error of 16.7/√12/√2000 = 0.11 ms.
        assert!((mean - parts).abs() < 0.4, "{mean} is not {parts}");
    }

    /// Every discipline that knows cylinders only.
    const DISCIPLINES: [QueueDiscipline; 5] = [
        QueueDiscipline::FirstCome,
        QueueDiscipline::ShortestSeek,
        QueueDiscipline::Look,
        QueueDiscipline::CircularLook,
        QueueDiscipline::CircularScan,
    ];

    proptest! {
        #[test]
        fn an_outlook_is_exact_if_nothing_more_arrives(
            which in 0usize..5,
            waiting in proptest::collection::vec((0u64..999_000, 0u64..200), 0..25),
            last in 0u64..999_000,
        ) {
            let parameters = hp_7937();
            let mut net = NetBuilder::new("test");
            let mut page = net.top();
            let (requests, completions) = (page.fifo("requests"), page.fifo("completions"));
            let how = (&parameters, DISCIPLINES[which]);
            let built = analytic_disk_page(&mut page, "disk", how, requests, completions);
            let net = net.build().unwrap();
            let mut run = Simulation::new(&net, 3, 0);
            let mut at = Time::ZERO;
            for (number, &(address, wait)) in waiting.iter().enumerate() {
                at += Time::from_millis(wait / 10);
                let id = RequestId(number as u64);
                run.inject(requests, BlockRequest { id, address, blocks: 16, ..BlockRequest::default() }, at).unwrap();
            }
            run.run_until(at).unwrap();
            run.drain(completions).for_each(drop);
            let request =
                BlockRequest { id: RequestId(1_000), address: last, blocks: 16, issued: at, ..BlockRequest::default() };
            let mut outlook = Outlook::default();
            run.for_each_token(built.arm, |arm| outlook = arm.outlook(at, &request));
            run.inject(requests, request, at).unwrap();
            run.run_to_end().unwrap();
            let done = run.drain(completions).find(|done| done.id == RequestId(1_000)).unwrap();
            prop_assert_eq!(done.ledger.total(), outlook.turnaround + outlook.rotation);
        }
    }

    #[test]
    fn with_one_request_at_a_time_a_circular_scan_is_never_faster_than_first_come() {
        let took = |discipline| {
            let mut arm = Arm::new(&hp_7937(), discipline, 0);
            let mut now = Time::ZERO;
            let mut seeks = Time::ZERO;
            // The cylinder changes by a stride that has no divisor in common with their number.
            for number in 0..500u64 {
                let request = BlockRequest {
                    address: number * 617_321 % 999_000,
                    blocks: 16,
                    ..BlockRequest::default()
                };
                arm.accept(request, now, number);
                let (_, plan) = arm.begin(now).unwrap();
                arm.finish();
                seeks += plan[1];
                now += plan.iter().copied().sum();
            }
            seeks
        };
        let [first_come, scan, look] =
            [FCFS, QueueDiscipline::CircularScan, QueueDiscipline::CircularLook].map(took);
        assert_eq!(look, first_come);
        // Half of the ways go back, by two seeks instead of one.
        let more = scan.as_seconds() / first_come.as_seconds();
        assert!((1.2..2.0).contains(&more), "{more}");
    }

    #[test]
    fn requests_of_the_idle_class_wait_for_all_others() {
        let parameters = hp_7937();
        let mut net = NetBuilder::new("test");
        let mut page = net.top();
        let (requests, completions) = (page.fifo("requests"), page.fifo("completions"));
        analytic_disk_page(&mut page, "disk", (&parameters, FCFS), requests, completions);
        let net = net.build().unwrap();
        let mut run = Simulation::new(&net, 3, 0);
        for number in 0..6u64 {
            let class = if number % 2 == 0 { IoClass::Idle } else { IoClass::BestEffort };
            let request =
                BlockRequest { id: RequestId(number), class, blocks: 16, ..BlockRequest::default() };
            run.inject(requests, request, Time::ZERO).unwrap();
        }
        run.run_to_end().unwrap();
        let order: Vec<u64> = run.drain(completions).map(|request| request.id.0).collect();
        // The first finds the disk idle.
        assert_eq!(order, [0, 1, 3, 5, 2, 4]);
    }
}
