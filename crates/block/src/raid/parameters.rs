//! What is said of an array: its level, where data and redundancy lie, and how it goes about its work.

use super::bitmap::BitmapParameters;
use super::cache::RaidCacheParameters;
use super::copies::CopiesLayout;
use super::degraded::DegradedAccess;
use super::md::{JournalParameters, StripeCacheParameters};
use super::reads::ReadChoice;
use petrio_colours::SECTOR_BYTES;
use petrio_persist::Persist;
use petrio_stage::Lever;
use petrio_stage::lever::doubled;
use petrio_units::{Bytes, Duration, Fraction, Lifetime, Rate};
use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// An array of several members as one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RaidParameters {
    /// How data are spread over the members and what protects them.
    pub level: RaidLevel,
    /// How much lies on a member before the next one's turn: a multiple of 512 bytes (mdadm: `--chunk`; 64 KiB before
    /// its version 3.1, 512 KiB since). Without meaning at level 1.
    #[serde(default = "usual_unit")]
    pub stripe_unit: Bytes,
    /// At levels 5 and 6, how the parity goes around the members.
    #[serde(default)]
    pub layout: ParityLayout,
    /// At level 1+0, how many members hold the same.
    #[serde(default = "two")]
    pub copies: u32,
    /// At level 1+0, how copies are spread (mdadm: `--layout`). `near` over members that are no multiple of the copies is md's, too.
    #[serde(default, skip_serializing_if = "is_near")]
    pub copies_layout: CopiesLayout,
    /// At levels 5 and 6, units of a stripe with its parity, where stripes are narrower than the array: parity is
    /// declustered, and all members take part in a rebuild.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stripe_width: Option<u32>,
    /// What is read to make parity anew where less than a stripe is written.
    #[serde(default)]
    pub parity_update: ParityUpdate,
    /// What is asked of a stripe of which members are missing.
    #[serde(default)]
    pub degraded: DegradedAccess,
    /// What a write waits for.
    #[serde(default)]
    pub write_order: WriteOrder,
    /// Whether one request after the other changes a stripe, as it must for its parity to be right. Left out only to do
    /// as simulators without it do.
    #[serde(default = "yes")]
    pub stripe_locks: bool,
    /// At level 1, members that are mostly written: they are read only where no other is left (mdadm: `--write-mostly`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub write_mostly: Vec<u32>,
    /// With a bitmap, writes with which those may be behind, so that nobody waits for them (mdadm: `--write-behind`; 256 where it has no
    /// number). Left out: none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub write_behind: u32,
    /// Where it is written down which parts of the members may differ (mdadm: `--bitmap=internal`), at levels with redundancy. Left
    /// out: nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bitmap: Option<BitmapParameters>,
    /// With a stripe cache, a journal that has what is written before the members have it: the last of those that the array lies on (mdadm:
    /// `--write-journal`). Left out: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal: Option<JournalParameters>,
    /// At level 5 with a stripe cache, whether partial parity is written down on the members before a part of a stripe is (mdadm:
    /// `--consistency-policy=ppl`).
    #[serde(default, skip_serializing_if = "is_no")]
    pub partial_parity_log: bool,
    /// At levels 4, 5 and 6, how Linux md goes about them. Left out: request by request, with `stripe_locks` and `write_order`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stripe_cache: Option<StripeCacheParameters>,
    /// Parity is made, and data are read for it, in whole pieces of this size (Linux md: a page of 4 KiB). A multiple
    /// of 512 bytes that divides the stripe unit.
    #[serde(default = "sector")]
    pub granularity: Bytes,
    /// Which copy a read goes to, at levels 1 and 1+0.
    #[serde(default)]
    pub reads: ReadChoice,
    /// The array's own processor, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller: Option<ControllerParameters>,
    /// How many of those that it lies on are hot spares: the last ones. A spare takes the place of a member that fails.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub spares: u32,
    /// Members that fail at times that are given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<MemberFailure>,
    /// How long a member lives on average, such as "1000000 h"; how long each lives is drawn from an exponential distribution.
    /// Left out: none fails but those of `failures`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_time_to_failure: Option<Lifetime>,
    /// After how long somebody puts a new drive in the place of one that failed, where no spare has taken it. Left out:
    /// nobody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_after: Option<Duration>,
    /// How what has taken a failed member's place is filled.
    #[serde(default)]
    pub rebuild: RebuildParameters,
}

/// A member that fails at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemberFailure {
    /// Which of those that the array lies on, from 0.
    pub member: u32,
    /// When, from the beginning of the run.
    pub at: Duration,
}

/// How a member is rebuilt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RebuildParameters {
    /// How much is rebuilt at a time.
    pub piece: Bytes,
    /// How many pieces at a time.
    pub depth: u32,
    /// How fast at most, of the member that is rebuilt (Linux md: `sync_speed_max`, 200 MB/s). Left out: as fast as it
    /// goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// How fast at most while others ask for something. Left out: no slower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy_rate: Option<Rate>,
    /// How many pieces at a time while others ask (Linux md since 2015: it waits for what it has begun, and goes on by 128 KiB).
    /// Left out: as many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy_depth: Option<u32>,
    /// Pieces that are rebuilt one by one to see how fast they go, before it advances over a long stretch at that pace where nobody asks
    /// for anything. 0: all of them go one by one.
    pub sample: u32,
}

/// As many as a second of a drive of today has.
const USUAL_SAMPLE: u32 = 2_048;

impl Default for RebuildParameters {
    fn default() -> Self {
        Self {
            piece: Bytes::from_kib(512),
            depth: 2,
            rate: None,
            busy_rate: None,
            busy_depth: None,
            sample: USUAL_SAMPLE,
        }
    }
}

impl RaidParameters {
    /// An array of this level with everything else as usual.
    pub fn of(level: RaidLevel) -> Self {
        Self {
            level,
            stripe_unit: usual_unit(),
            layout: ParityLayout::default(),
            copies: two(),
            copies_layout: CopiesLayout::default(),
            stripe_width: None,
            parity_update: ParityUpdate::default(),
            degraded: DegradedAccess::default(),
            write_order: WriteOrder::default(),
            stripe_locks: true,
            write_mostly: Vec::new(),
            write_behind: 0,
            bitmap: None,
            journal: None,
            partial_parity_log: false,
            stripe_cache: None,
            granularity: sector(),
            reads: ReadChoice::default(),
            controller: None,
            spares: 0,
            failures: Vec::new(),
            mean_time_to_failure: None,
            replaced_after: None,
            rebuild: RebuildParameters::default(),
        }
    }

    /// How many of so many that it lies on are members, and neither spares nor a journal.
    pub fn members(&self, of: usize) -> usize {
        of.saturating_sub(self.spares as usize + usize::from(self.journal.is_some()))
    }

    /// Whether it passes discards on: what the host makes without parity.
    pub fn passes_discards(&self) -> bool {
        use RaidLevel::{DoubleRotated, Mirrored, MirroredStriped, ParityMember, Rotated, Striped};
        let without_parity = match self.level {
            Striped | Mirrored | MirroredStriped => true,
            ParityMember | Rotated | DoubleRotated => false,
        };
        without_parity && self.controller.is_none()
    }

    /// Discards of fewer blocks are cut into units as writes are, where a row of units over all members has so many: level 1+0 does it to
    /// those of less than two rows (raid10_handle_discard).
    pub(super) fn cuts_discards_below(&self, row: u64) -> u64 {
        if self.level == RaidLevel::MirroredStriped { 2 * row } else { 0 }
    }

    /// What could be changed about it; its parameters stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let mut own = Vec::new();
        if let Some(cache) = self.stripe_cache.as_ref().filter(|cache| cache.rows < MANY_ROWS) {
            let more = Lever::times(
                f64::from(MANY_ROWS) / f64::from(cache.rows.max(1)),
                ("held", "stripe cache"),
                "a stripe cache of 4096 rows",
            );
            own.push(more.set(path, "stripe_cache.rows", MANY_ROWS));
        }
        if self.is_rebuilt() {
            let rate =
                self.rebuild.busy_rate.map_or(GENTLE, |rate| rate.bytes_per_second().min(GENTLE * 2.0) / 2.0);
            let gentle = Lever::instead("rebuild", "rebuild", "a rebuild that yields to others")
                .set_some(path, "rebuild.busy_rate", Rate::new(rate))
                .at_a_price("members that are missing are missing for longer");
            own.push(gentle);
        }
        let Some(controller) = &self.controller else { return own };
        let path = format!("{path}.controller");
        let lever = Lever::twice("controller", "controller", "the controller twice as fast")
            .halved(&path, "overhead", controller.overhead)
            .set_some(&path, "parity_rate", controller.parity_rate.and_then(doubled));
        let memory = controller.cache.as_ref().map(|cache| {
            let path = format!("{path}.cache");
            let rate = Lever::twice("cache/memory", "memory", "the controller's memory twice as fast")
                .set_some(&path, "rate", cache.rate.and_then(doubled));
            let size = Bytes(cache.size.get().saturating_mul(2));
            let size = Lever::twice("cache/for-room", "cache", "the controller's cache twice as large")
                .set(&path, "size", size);
            // Without one writes wait for members, and for no room: no row tells how much there is to gain.
            let battery = Lever::instead("cache", "battery", "a battery that keeps the controller's memory")
                .set_some(&path, "battery", (!cache.battery).then_some(true));
            [rate, size, battery]
        });
        let memory = memory.into_iter().flatten();
        own.extend(std::iter::once(lever).chain(memory).filter_map(Lever::if_any));
        own
    }

    /// Whether members fail and are replaced in a run.
    fn is_rebuilt(&self) -> bool {
        let fails = !self.failures.is_empty() || self.mean_time_to_failure.is_some();
        fails && (self.spares > 0 || self.replaced_after.is_some())
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde asks for it.
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde asks for it.
fn is_no(is_so: &bool) -> bool {
    !is_so
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde asks for it.
fn is_near(layout: &CopiesLayout) -> bool {
    *layout == CopiesLayout::Near
}

fn usual_unit() -> Bytes {
    Bytes::from_kib(64)
}

fn sector() -> Bytes {
    Bytes(SECTOR_BYTES)
}

fn two() -> u32 {
    2
}

fn yes() -> bool {
    true
}

/// A level of RAID (Patterson, Gibson and Katz 1988, and the later 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaidLevel {
    /// 0: striped, without redundancy.
    Striped,
    /// 1: every member holds the same.
    Mirrored,
    /// 1+0: striped over groups of members that hold the same.
    MirroredStriped,
    /// 4: striped, with parity on the last member.
    ParityMember,
    /// 5: striped, with parity going around the members.
    Rotated,
    /// 6: striped, with two parities going around the members.
    DoubleRotated,
}

/// Rows of md's stripe cache that hold what a stream has on its way (`stripe_cache_size`, 256 as shipped).
const MANY_ROWS: u32 = 4_096;
/// What a rebuild goes on with while others ask, bytes a second: Linux md's `sync_speed_min`, 1 MB/s, is its like.
const GENTLE: f64 = 1e6;

impl RaidLevel {
    /// All levels, with how a scenario writes them.
    pub const ALL: [(&'static str, Self); 6] = [
        ("0", Self::Striped),
        ("1", Self::Mirrored),
        ("1+0", Self::MirroredStriped),
        ("4", Self::ParityMember),
        ("5", Self::Rotated),
        ("6", Self::DoubleRotated),
    ];

    /// Fewest members with which it is one.
    pub const fn fewest_members(self) -> usize {
        match self {
            Self::Striped => 1,
            Self::Mirrored | Self::MirroredStriped => 2,
            Self::ParityMember | Self::Rotated => 3,
            Self::DoubleRotated => 4,
        }
    }

    /// Members that can fail in any case without loss of data, of as many as hold the same `copies`.
    pub const fn survives(self, copies: u64) -> u64 {
        match self {
            Self::Striped => 0,
            Self::Mirrored | Self::MirroredStriped => copies.saturating_sub(1),
            Self::ParityMember | Self::Rotated => 1,
            Self::DoubleRotated => 2,
        }
    }
}

impl fmt::Display for RaidLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(_, level)| level == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

impl<'de> Deserialize<'de> for RaidLevel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a RAID level is a number, or \"1+0\"")]
        enum Written {
            Number(u32),
            Text(String),
        }
        let text = match Written::deserialize(deserializer)? {
            Written::Number(number) => number.to_string(),
            Written::Text(text) => text,
        };
        let text = if text == "10" { "1+0".to_owned() } else { text };
        let found = Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, level)| *level);
        found.ok_or_else(|| {
            D::Error::custom(format!(
                "RAID level {text} is not known here; there are 0, 1, \"1+0\", 4, 5 and 6"
            ))
        })
    }
}

impl Serialize for RaidLevel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Striped => serializer.serialize_u32(0),
            Self::Mirrored => serializer.serialize_u32(1),
            Self::MirroredStriped => serializer.serialize_str("1+0"),
            Self::ParityMember => serializer.serialize_u32(4),
            Self::Rotated => serializer.serialize_u32(5),
            Self::DoubleRotated => serializer.serialize_u32(6),
        }
    }
}

impl JsonSchema for RaidLevel {
    fn schema_name() -> Cow<'static, str> {
        "RaidLevel".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "The RAID level: 0 is striped without redundancy, 1 mirrored, \"1+0\" striped over mirrors, \
                            4 with parity on the last member, 5 with parity that goes around, 6 with two",
            "enum": [0, 1, "1+0", 4, 5, 6],
        })
    }
}

/// How parity goes around the members, stripe by stripe (the names are Linux md's).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum ParityLayout {
    /// From the last member to the first; data begin after the parity and go on around.
    #[default]
    LeftSymmetric,
    /// From the last member to the first; data go from the first member to the last.
    LeftAsymmetric,
    /// From the first member to the last; data begin after the parity and go on around.
    RightSymmetric,
    /// From the first member to the last; data go from the first member to the last.
    RightAsymmetric,
}

/// What is read to make parity anew where less than a stripe is written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ParityUpdate {
    /// Whatever is fewer reads; the data that aren't written, if both are as many (Linux md).
    #[default]
    Fewer,
    /// The old data and the old parity.
    ReadModifyWrite,
    /// The data of the stripe that aren't written.
    Reconstruct,
    /// The old data and parity where less than this share of a stripe's data units is written, or else the others.
    Below(Fraction),
}

impl ParityUpdate {
    const WORDS: [(&'static str, Self); 3] = [
        ("fewer", Self::Fewer),
        ("read-modify-write", Self::ReadModifyWrite),
        ("reconstruct", Self::Reconstruct),
    ];
}

impl<'de> Deserialize<'de> for ParityUpdate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if let Some((_, word)) = Self::WORDS.iter().find(|(word, _)| *word == text) {
            return Ok(*word);
        }
        text.parse().map(Self::Below).map_err(|_| {
            D::Error::custom(format!(
                "{text} is no rule for parity; there are \"fewer\", \"read-modify-write\", \"reconstruct\", and a share \
                 of a stripe such as \"50 %\", below which the old data and parity are read"
            ))
        })
    }
}

impl Serialize for ParityUpdate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Below(share) => share.serialize(serializer),
            word => {
                let text = Self::WORDS.iter().find(|(_, other)| other == word).map_or("", |(text, _)| text);
                serializer.serialize_str(text)
            }
        }
    }
}

impl JsonSchema for ParityUpdate {
    fn schema_name() -> Cow<'static, str> {
        "ParityUpdate".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "What is read to make parity anew where less than a stripe is written: \"fewer\" (whatever is \
                            fewer reads), \"read-modify-write\" (old data and old parity), \"reconstruct\" (the other data), \
                            or a share of the stripe such as \"50 %\", below which it is the first and else the second",
            "type": "string",
        })
    }
}

/// What a write waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum WriteOrder {
    /// For all that is read of its stripe: then data and parity are written at the same time (Linux md).
    #[default]
    AfterAllReads,
    /// Data for the old data of the same member only, parity for all (DiskSim without its "synch writes for safety").
    AfterOwnRead,
}

/// A controller: a processor of the array's own, which does one thing after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ControllerParameters {
    /// Its work on each request.
    pub overhead: Duration,
    /// How fast it makes parity, of all that goes into it: data written and whatever is read. Left out: in no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parity_rate: Option<Rate>,
    /// Its memory. Left out: it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<RaidCacheParameters>,
}
