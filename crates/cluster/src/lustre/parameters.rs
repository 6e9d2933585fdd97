//! Lustre as it is written.

use petrio_host::lustre::{LustreMount, Striping};
use petrio_kernel::Time;
use petrio_stage::Lever;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What is taken on which stripes are cut (`LOV_MIN_STRIPE_SIZE`, lustre_idl.h).
const LEAST_STRIPE: u64 = 64 << 10;
/// The most stripes of a file (`LOV_MAX_STRIPE_COUNT`).
const MOST_STRIPES: u32 = 2000;
const PAGE: u64 = 4096;

/// A range of each file that is striped in one way, as `lfs setstripe -E` makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LayoutComponent {
    /// Where it ends, from the file's beginning on (`-E`): a multiple of 64 KiB. Left out, it has all that follows: of the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Bytes>,
    /// Stripes side by side (`-c`); -1: on all OSTs. Left out, those of the file system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stripe_count: Option<i32>,
    /// Bytes of a stripe (`-S`). Left out, those of the file system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stripe_size: Option<Bytes>,
    /// Whether it lies on the metadata target (`-L mdt`): of the first one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dom: bool,
}

/// What work costs, as time of the processors of the host that does it; copies apart, which cost a client and a server's file system
/// what their machines say. Left out, as of NFS (`NfsCosts`): both are RPCs between kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LustreCosts {
    /// A message that an end sends: a request, a reply, a callback.
    pub message: Duration,
    /// A request that a server's thread does.
    pub serve: Duration,
}

impl LustreCosts {
    /// Nothing costs anything.
    pub const NONE: Self = Self { message: Duration::ZERO, serve: Duration::ZERO };
}

impl Default for LustreCosts {
    fn default() -> Self {
        let us = |us| Duration::new(Time::from_micros(us));
        Self { message: us(10), serve: us(30) }
    }
}

/// What a file system is made of, and how it is mounted. Defaults are those of Lustre 2.15.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LustreParameters {
    /// Stripes of a file side by side; -1: on all OSTs.
    pub stripe_count: i32,
    /// Bytes of a stripe: a multiple of 64 KiB.
    pub stripe_size: Bytes,
    /// Components of a progressive layout, in the order of their ends. Left out, there is one for all of each file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layout: Vec<LayoutComponent>,
    /// Over how many of its MDTs directories are spread, by turns (`lfs setdirstripe`). Left out, over all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mdt_count: Option<u32>,
    /// Pages of 4 KiB of an RPC that moves data: 1024 since 2.12 (`PTLRPC_MAX_BRW_SIZE`, 4 MiB), 256 before.
    pub max_pages_per_rpc: u32,
    /// RPCs that a client has on their way to a target.
    pub max_rpcs_in_flight: u32,
    /// Those of them that change metadata. Left out, one less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_mod_rpcs_in_flight: Option<u32>,
    /// MiB that a client may have dirty of an OST: at least what its RPCs in flight carry (`client_adjust_max_dirty`).
    pub max_dirty_mb: u32,
    /// What a client may write to an OST before the OST has had to give it room. Left out, what may be dirty and what is on its way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<Bytes>,
    /// Data of at most so many bytes go with their request, or with their reply (`short_io_bytes`).
    pub short_io: Bytes,
    /// The largest window of read-ahead of a file (`max_read_ahead_per_file_mb`, `SBI_DEFAULT_READ_AHEAD_PER_FILE_MAX`).
    pub max_read_ahead_per_file: Bytes,
    /// Attributes that are asked for ahead (`statahead_max`, `LL_SA_RPC_DEF`); 0: none.
    pub statahead_max: u32,
    /// Objects that a metadata target has an OST make ahead at a time (`OST_MIN_PRECREATE`).
    pub precreate: u32,
    /// Messages of an end that are on their way (`credits` of its network).
    pub credits: u32,
    /// Those of them to one other end (`peer_credits`).
    pub peer_credits: u32,
    /// Threads of a metadata server.
    pub mds_threads: u32,
    /// Threads of an object storage server.
    pub oss_threads: u32,
    /// What else costs time of processors.
    pub costs: LustreCosts,
}

impl Default for LustreParameters {
    fn default() -> Self {
        Self {
            stripe_count: 1,
            stripe_size: Bytes::from_mib(1),
            layout: Vec::new(),
            mdt_count: None,
            // PTLRPC_MAX_BRW_SIZE / PAGE_SIZE; OBD_MAX_RIF_DEFAULT.
            max_pages_per_rpc: 1024,
            max_rpcs_in_flight: 8,
            max_mod_rpcs_in_flight: None,
            max_dirty_mb: 32,
            grant: None,
            // OBD_DEF_SHORT_IO_BYTES.
            short_io: Bytes::from_kib(16),
            max_read_ahead_per_file: Bytes::from_mib(256),
            statahead_max: 32,
            precreate: 32,
            // DEFAULT_CREDITS, DEFAULT_PEER_CREDITS (lnet/include/lnet/lib-types.h).
            credits: 256,
            peer_credits: 8,
            mds_threads: 64,
            oss_threads: 64,
            costs: LustreCosts::default(),
        }
    }
}

/// Why a file system can't be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LustreError {
    /// Something that has to be there is 0.
    #[error("{why}; let it be 1 or more")]
    None {
        /// The parameter.
        parameter: &'static str,
        /// What follows.
        why: &'static str,
    },
    /// Stripes.
    #[error(
        "{count} stripes make no sense: a file has at least one, -1 stands for all OSTs, and {osts} OSTs are there"
    )]
    Stripes {
        /// Where it stands.
        parameter: &'static str,
        /// How many were asked for.
        count: i32,
        /// How many OSTs there are.
        osts: u32,
    },
    /// A stripe that isn't a multiple of 64 KiB.
    #[error("a stripe of {size} makes no sense: it is a multiple of 64 KiB")]
    StripeSize {
        /// Where it stands.
        parameter: &'static str,
        /// Its size.
        size: Bytes,
    },
    /// Components whose ends descend.
    #[error(
        "component {number} of the layout ends at {end}, which isn't behind the end of the one before it: let ends ascend"
    )]
    Ends {
        /// Which.
        number: usize,
        /// Where it ends.
        end: Bytes,
    },
    /// An end that isn't a multiple of 64 KiB.
    #[error("component {number} of the layout ends at {end}, which is no multiple of 64 KiB")]
    Unaligned {
        /// Which.
        number: usize,
        /// Where it ends.
        end: Bytes,
    },
    /// A component without an end that isn't the last, or the last with one.
    #[error(
        "component {number} of the layout {wrong}: all but the last end somewhere, and the last has all that follows"
    )]
    Open {
        /// Which.
        number: usize,
        /// What is wrong.
        wrong: &'static str,
    },
    /// Data on MDTs that aren't the first.
    #[error("component {number} of the layout lies on the MDT: only the first one may, and it has an end")]
    Dom {
        /// Which.
        number: usize,
    },
    /// More MDTs than there are.
    #[error("directories can't be spread over {count} MDTs where there are {mdts}")]
    Mdts {
        /// How many were asked for.
        count: u32,
        /// How many there are.
        mdts: u32,
    },
}

impl LustreError {
    /// The parameter that is wrong.
    pub const fn parameter(&self) -> &'static str {
        match self {
            Self::None { parameter, .. }
            | Self::Stripes { parameter, .. }
            | Self::StripeSize { parameter, .. } => parameter,
            Self::Ends { .. } | Self::Unaligned { .. } | Self::Open { .. } | Self::Dom { .. } => "layout",
            Self::Mdts { .. } => "mdt_count",
        }
    }
}

/// The stages of a server's threads, and of a client's RPCs.
pub(super) const THREADS: &str = "threads";

impl LustreParameters {
    /// How files are striped over so many OSTs and MDTs.
    ///
    /// # Errors
    /// See [`LustreError`].
    pub fn striping(&self, (osts, mdts): (u32, u32)) -> Result<Striping, LustreError> {
        self.check_numbers()?;
        let spread = self.mdt_count.unwrap_or(mdts);
        if spread == 0 || spread > mdts {
            return Err(LustreError::Mdts { count: spread, mdts });
        }
        let whole = LayoutComponent { end: None, stripe_count: None, stripe_size: None, dom: false };
        let components = if self.layout.is_empty() { vec![whole] } else { self.layout.clone() };
        let (mut all, mut before) = (Vec::new(), 0);
        for (at, own) in components.iter().enumerate() {
            let (number, is_last) = (at + 1, at + 1 == components.len());
            match own.end {
                None if !is_last => return Err(LustreError::Open { number, wrong: "has no end" }),
                Some(_) if is_last => return Err(LustreError::Open { number, wrong: "has an end" }),
                Some(end) if end.get() <= before => return Err(LustreError::Ends { number, end }),
                Some(end) if !end.get().is_multiple_of(LEAST_STRIPE) => {
                    return Err(LustreError::Unaligned { number, end });
                }
                _ => {}
            }
            before = own.end.map_or(before, Bytes::get);
            if own.dom && (at > 0 || is_last) {
                return Err(LustreError::Dom { number });
            }
            let of_own = own.stripe_count.is_some();
            let parameter = if of_own { "layout" } else { "stripe_count" };
            let count = own.stripe_count.unwrap_or(self.stripe_count);
            let stripes = match u32::try_from(count) {
                _ if own.dom => 0,
                Ok(stripes) if stripes > 0 && stripes <= osts.min(MOST_STRIPES) => stripes,
                Err(_) if count == -1 => osts.min(MOST_STRIPES),
                _ => return Err(LustreError::Stripes { parameter, count, osts }),
            };
            let size = own.stripe_size.unwrap_or(self.stripe_size);
            if size.get() == 0 || !size.get().is_multiple_of(LEAST_STRIPE) {
                let parameter = if own.stripe_size.is_some() { "layout" } else { "stripe_size" };
                return Err(LustreError::StripeSize { parameter, size });
            }
            all.push((own.end.map(Bytes::get), size.get(), stripes));
        }
        Ok(Striping::new(&all, (osts, spread)))
    }

    fn check_numbers(&self) -> Result<(), LustreError> {
        let wrong = [
            (self.max_pages_per_rpc, "max_pages_per_rpc", "an RPC without pages moves nothing"),
            (self.max_rpcs_in_flight, "max_rpcs_in_flight", "without an RPC in flight nothing is asked"),
            (
                self.max_mod_rpcs_in_flight.unwrap_or(1),
                "max_mod_rpcs_in_flight",
                "without an RPC in flight nothing is changed",
            ),
            (self.max_dirty_mb, "max_dirty_mb", "who may have nothing dirty writes nothing"),
            (self.precreate, "precreate", "without objects no file is made"),
            (self.credits, "credits", "without a credit no message is sent"),
            (self.peer_credits, "peer_credits", "without a credit no message is sent"),
            (self.mds_threads, "mds_threads", "a server without threads serves nobody"),
            (self.oss_threads, "oss_threads", "a server without threads serves nobody"),
        ];
        let found = wrong.into_iter().find(|(number, ..)| *number == 0);
        found.map_or(Ok(()), |(_, parameter, why)| Err(LustreError::None { parameter, why }))
    }

    /// Pages of an RPC.
    pub(super) fn rpc_pages(&self) -> u64 {
        self.max_pages_per_rpc.into()
    }

    /// RPCs that change metadata that may be on their way.
    pub(super) fn modifying(&self) -> u32 {
        self.max_mod_rpcs_in_flight.unwrap_or_else(|| self.max_rpcs_in_flight.saturating_sub(1).max(1))
    }

    /// Pages that may be dirty of an OST.
    fn dirty_pages(&self) -> u64 {
        let in_flight = self.rpc_pages() * u64::from(self.max_rpcs_in_flight);
        (u64::from(self.max_dirty_mb) << 20).div_euclid(PAGE).max(in_flight.min(8192))
    }

    /// Pages that a client may write to an OST without asking.
    pub(super) fn granted_pages(&self) -> u64 {
        let in_flight = self.rpc_pages() * u64::from(self.max_rpcs_in_flight);
        self.grant.map_or(self.dirty_pages() + in_flight, |grant| (grant.get() / PAGE).max(1))
    }

    /// How its clients mount it.
    pub fn mount(&self, striping: &Arc<Striping>) -> LustreMount {
        LustreMount {
            striping: Arc::clone(striping),
            rpc_pages: self.rpc_pages(),
            dirty_pages: self.dirty_pages(),
            granted_pages: self.granted_pages(),
            read_ahead: self.max_read_ahead_per_file,
            stat_ahead: self.statahead_max,
        }
    }

    /// What could be better about it; its parameters stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let costs = format!("{path}.costs");
        let twice = |number: u32| number.saturating_mul(2);
        let all = [
            Lever::twice(THREADS, "number", "twice as many threads on its servers")
                .set(path, "mds_threads", twice(self.mds_threads))
                .set(path, "oss_threads", twice(self.oss_threads)),
            Lever::twice(THREADS, "RPCs", "twice as many RPCs in flight").set(
                path,
                "max_rpcs_in_flight",
                twice(self.max_rpcs_in_flight),
            ),
            Lever::twice(THREADS, "work", "requests served with half the work").halved(
                &costs,
                "serve",
                self.costs.serve,
            ),
            Lever::twice(THREADS, "messages", "messages with half the work").halved(
                &costs,
                "message",
                self.costs.message,
            ),
        ];
        let all_osts =
            Lever::instead(THREADS, "stripes", "files striped over all OSTs").set(path, "stripe_count", -1);
        let is_striped = self.stripe_count == -1 || !self.layout.is_empty();
        all.into_iter().chain((!is_striped).then_some(all_osts)).filter_map(Lever::if_any).collect()
    }
}
