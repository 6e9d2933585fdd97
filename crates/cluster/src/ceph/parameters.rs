//! What a Ceph pool with an image is, as it is written.

use super::costs::Costs;
use super::recovery_parameters::{OsdStop, Recovery};
use super::store_parameters::Store;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A pool of Ceph's OSDs and an image of RBD on it.
///
/// What is left out is as Ceph 16.2 has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CephParameters {
    /// Size of the image: what lies on it sees a device of so many bytes. All of its objects exist from the beginning, as those
    /// of an image do that has been written once.
    pub image: Bytes,
    /// Copies of each object, each on another host (osd_pool_default_size).
    #[serde(default = "usual_size")]
    pub size: u32,
    /// Copies (or shards) that must be there for reads and writes to be served; left out, more than half of the copies, as `size`
    /// less half of it, and with `erasure` one more than the data shards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_size: Option<u32>,
    /// Erasure coding instead of copies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erasure: Option<Erasure>,
    /// Placement groups of the pool (osd_pool_default_pg_num).
    #[serde(default = "usual_groups")]
    pub pg_num: u32,
    /// The pool's number, by which its placement groups lie elsewhere than those of others.
    #[serde(default = "usual_pool")]
    pub pool: u32,
    /// The image's number as RBD makes one: its objects are called `rbd_data.ID.` and 16 hexadecimal digits, and lie where these
    /// names say.
    #[serde(default = "usual_id")]
    pub id: String,
    /// Bytes of an object (`rbd create --object-size`).
    #[serde(default = "usual_object")]
    pub object: Bytes,
    /// OSDs of each host, in the order in which they are named: they share its processors and its link.
    #[serde(default = "one")]
    pub osds_per_host: u32,
    /// Processors of each host of OSDs, and of the client.
    #[serde(default = "usual_processors")]
    pub processors: u32,
    /// Requests that the client has under way at once (`queue_depth` of krbd).
    #[serde(default = "usual_depth")]
    pub queue_depth: u32,
    /// What work costs processors.
    #[serde(default)]
    pub costs: Costs,
    /// How an OSD writes.
    #[serde(default)]
    pub store: Store,
    /// OSDs that stop, and perhaps come back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stops: Vec<OsdStop>,
    /// What happens then.
    #[serde(default)]
    pub recovery: Recovery,
}

/// Erasure coding: each object in `data` shards, and `coding` more from which any as many can be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Erasure {
    /// Shards of data (k).
    pub data: u32,
    /// Shards beside (m).
    pub coding: u32,
    /// Bytes of a stripe in a shard (osd_pool_erasure_code_stripe_unit).
    #[serde(default = "usual_unit")]
    pub stripe_unit: Bytes,
}

/// osd_pool_default_size.
const fn usual_size() -> u32 {
    3
}

/// osd_pool_default_pg_num of 16.2.
const fn usual_groups() -> u32 {
    32
}

const fn usual_pool() -> u32 {
    1
}

fn usual_id() -> String {
    "102713c75a92".to_owned()
}

/// rbd_default_order 22.
const fn usual_object() -> Bytes {
    Bytes(4 << 20)
}

const fn one() -> u32 {
    1
}

/// Assumed: what servers of one OSD have.
const fn usual_processors() -> u32 {
    4
}

/// RBD_QUEUE_DEPTH_DEFAULT of Linux drivers/block/rbd.c.
const fn usual_depth() -> u32 {
    128
}

const fn usual_unit() -> Bytes {
    Bytes(4096)
}

/// Why a pool can't be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CephError {
    /// No copies, or no shards.
    #[error("a pool of size 0 keeps nothing")]
    NoCopies,
    /// More copies than hosts.
    #[error("{width} {what} lie on {width} different hosts, and there {}: {osds} with {per_host} on each", are(*hosts, "host", "hosts"), osds = are_osds(*osds), per_host = per_host)]
    Hosts {
        /// Copies or shards.
        width: u32,
        /// What they are.
        what: &'static str,
        /// OSDs.
        osds: usize,
        /// On each host.
        per_host: u32,
        /// Hosts.
        hosts: usize,
    },
    /// More are asked for than there can be.
    #[error("min_size {least} is more than the {width} {what} that there are: nothing would ever be served")]
    Least {
        /// What is asked for.
        least: u32,
        /// What there is.
        width: u32,
        /// What they are.
        what: &'static str,
    },
    /// Fewer than data can be made of.
    #[error("min_size {least} is less than what data are made of: {needed}")]
    TooFew {
        /// What is asked for.
        least: u32,
        /// What it takes.
        needed: u32,
    },
    /// A number that is none.
    #[error("{key} = {value} can't be; {expected} was expected")]
    Number {
        /// The key.
        key: &'static str,
        /// What it is.
        value: String,
        /// What was expected.
        expected: &'static str,
    },
    /// Copies and shards.
    #[error("size = {0} says copies, and erasure coding has none")]
    Both(u32),
    /// An OSD that isn't there.
    #[error("OSD {osd} stops, and there are {osds}, counted from 0")]
    NoOsd {
        /// Who stops.
        osd: u32,
        /// How many there are.
        osds: usize,
    },
    /// One that stops while it is away.
    #[error("OSD {0} stops twice, and isn't back between")]
    Twice(u32),
}

fn are(count: usize, one: &str, more: &str) -> String {
    if count == 1 { format!("is 1 {one}") } else { format!("are {count} {more}") }
}

fn are_osds(osds: usize) -> String {
    if osds == 1 { "1 OSD".to_owned() } else { format!("{osds} OSDs") }
}

impl CephError {
    /// The key that it is about; empty for the pool itself.
    pub const fn key(&self) -> &'static str {
        match self {
            Self::NoCopies | Self::Both(_) => "size",
            Self::Hosts { .. } => "on",
            Self::Least { .. } | Self::TooFew { .. } => "min_size",
            Self::Number { key, .. } => key,
            Self::NoOsd { .. } | Self::Twice(_) => "stops",
        }
    }

    /// What to do about it.
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::NoCopies => "write size = 3, or 1 where data may be lost",
            Self::Hosts { .. } => "name more OSDs, put fewer on each host, or keep fewer",
            Self::Least { .. } | Self::TooFew { .. } => "leave it out: then it is as Ceph has it",
            Self::Number { .. } => "write what was expected, or leave it out where it need not be said",
            Self::Both(_) => "leave out either size or erasure",
            Self::NoOsd { .. } => "write the number of one of them",
            Self::Twice(_) => "say returns_after, or let it stop once",
        }
    }
}

/// Bytes here of each object of each shard, at most: where it lies, and that it has to be made again.
const BYTES_A_SHARD: u64 = 48;
/// Placement groups at most, of which each has a few hundred bytes here.
const MOST_GROUPS: u32 = 1 << 20;
/// Bytes that an image's requests are made of.
const SECTOR: u64 = petrio_colours::SECTOR_BYTES;

impl CephParameters {
    /// Copies or shards of each object.
    pub fn width(&self) -> u32 {
        self.erasure.map_or(self.size, |erasure| erasure.data.saturating_add(erasure.coding))
    }

    /// Those of which data are made.
    pub fn needed(&self) -> u32 {
        self.erasure.map_or(1, |erasure| erasure.data)
    }

    /// Those without which nothing is served.
    pub fn least(&self) -> u32 {
        let usual = self.erasure.map_or(self.size - self.size / 2, |erasure| {
            (erasure.data + 1).min(erasure.data.saturating_add(erasure.coding))
        });
        self.min_size.unwrap_or(usual)
    }

    /// Objects of the image.
    pub fn objects(&self) -> u64 {
        self.image.get().div_ceil(self.object.get().max(1))
    }

    /// Bytes of an object in each shard, in whole stripes.
    pub fn shard_bytes(&self) -> u64 {
        match self.erasure {
            None => self.object.get(),
            Some(Erasure { data, stripe_unit, .. }) => {
                let unit = stripe_unit.get().max(1);
                self.object.get().div_ceil(unit.saturating_mul(data.max(1).into())).saturating_mul(unit)
            }
        }
    }

    /// What copies or shards are called.
    pub const fn called(&self) -> &'static str {
        if self.erasure.is_some() { "shards" } else { "copies" }
    }

    /// Whether they make sense over so many OSDs.
    ///
    /// # Errors
    /// See [`CephError`].
    pub fn check(&self, osds: usize) -> Result<(), CephError> {
        self.check_numbers()?;
        let (width, what) = (self.width(), self.called());
        if let Some(least) = self.min_size {
            if least > width {
                return Err(CephError::Least { least, width, what });
            }
            if least < self.needed() {
                return Err(CephError::TooFew { least, needed: self.needed() });
            }
        }
        let per_host = self.osds_per_host;
        let hosts = osds.div_ceil(per_host.max(1) as usize);
        if (width as usize) > hosts {
            return Err(CephError::Hosts { width, what, osds, per_host, hosts });
        }
        self.check_stops(osds)
    }

    /// Bytes that it takes here, over so many OSDs: where objects lie, and what their memories keep.
    pub fn bytes_of(&self, osds: usize) -> u64 {
        let shards = self.objects().saturating_mul(self.width().into());
        shards.saturating_mul(BYTES_A_SHARD).saturating_add(self.store.bytes_of(osds))
    }

    fn check_numbers(&self) -> Result<(), CephError> {
        let number = |key, value: String, expected| Err(CephError::Number { key, value, expected });
        let Self { image, object, pg_num, osds_per_host, processors, queue_depth, .. } = self;
        if image.get() == 0 || !image.get().is_multiple_of(SECTOR) {
            return number("image", image.to_string(), "a multiple of 512 B");
        }
        // The kernel's client takes orders of 16 to 25 and no others (rbd.c: RBD_MIN_OBJ_ORDER, RBD_MAX_OBJ_ORDER).
        if !object.get().is_power_of_two() || !(64 << 10..=32 << 20).contains(&object.get()) {
            return number("object", object.to_string(), "a power of two from 64 KiB to 32 MiB");
        }
        if *pg_num == 0 || *pg_num > MOST_GROUPS {
            return number("pg_num", pg_num.to_string(), "1 to 1,048,576");
        }
        for (key, value) in
            [("osds_per_host", osds_per_host), ("processors", processors), ("queue_depth", queue_depth)]
        {
            if *value == 0 {
                return number(key, value.to_string(), "1 or more");
            }
        }
        if self.erasure.is_none() && self.size == 0 {
            return Err(CephError::NoCopies);
        }
        if let Some(Erasure { data, coding, stripe_unit }) = self.erasure {
            if data == 0 {
                return number("erasure.data", data.to_string(), "1 or more shards of data (k)");
            }
            if coding == 0 {
                return number("erasure.coding", coding.to_string(), "1 or more shards beside (m)");
            }
            if stripe_unit.get() == 0 || !stripe_unit.get().is_multiple_of(4096) {
                return number("erasure.stripe_unit", stripe_unit.to_string(), "a multiple of 4 KiB");
            }
            if self.size != usual_size() {
                return Err(CephError::Both(self.size));
            }
        }
        self.store.check()?;
        self.recovery.check()
    }

    fn check_stops(&self, osds: usize) -> Result<(), CephError> {
        let mut away: Vec<(u32, Option<Duration>)> = Vec::new();
        for OsdStop { osd, at, returns_after } in &self.stops {
            if *osd as usize >= osds {
                return Err(CephError::NoOsd { osd: *osd, osds });
            }
            let back = returns_after.map(|after| Duration::new(at.time().saturating_add(after.time())));
            let before = away.iter().rev().find(|(other, _)| other == osd);
            if before.is_some_and(|(_, back)| back.is_none_or(|back| back >= *at)) {
                return Err(CephError::Twice(*osd));
            }
            away.push((*osd, back));
        }
        Ok(())
    }
}
