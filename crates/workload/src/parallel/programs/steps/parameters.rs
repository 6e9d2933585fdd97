//! Steps as a scenario writes them.

use super::super::states::{CheckpointLayout, States};
use crate::parallel::collective::Collective;
use petrio_colours::Remote;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A program of your own: steps that all ranks go through, one after the other, such as
/// `["barrier", { all-to-all = { bytes = "8 KiB" } }, { compute = "10 ms" }]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepsParameters {
    /// What is done.
    pub steps: Vec<StepParameters>,
}

/// What all ranks do next. A step is over for a rank when its own part of it is: nobody waits for others beyond that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum StepParameters {
    /// Each rank computes for so long.
    Compute(Duration),
    /// All wait until all have come (MPI_Barrier).
    Barrier,
    /// A message goes from the root to all (MPI_Bcast).
    Broadcast {
        /// Of the message.
        bytes: Bytes,
        /// Whose.
        #[serde(default)]
        root: u32,
    },
    /// Vectors of all ranks are combined at the root (MPI_Reduce).
    Reduce {
        /// Of each vector.
        bytes: Bytes,
        /// Who gets the result.
        #[serde(default)]
        root: u32,
    },
    /// Vectors of all ranks are combined, and all get the result (MPI_Allreduce).
    AllReduce {
        /// Of each vector.
        bytes: Bytes,
    },
    /// The root gets a part of each rank (MPI_Gather).
    Gather {
        /// Of each part.
        bytes: Bytes,
        /// Who gets them.
        #[serde(default)]
        root: u32,
    },
    /// Each rank gets a part of its own from the root (MPI_Scatter).
    Scatter {
        /// Of each part.
        bytes: Bytes,
        /// Who has them.
        #[serde(default)]
        root: u32,
    },
    /// Each rank gets a part of each (MPI_Allgather).
    AllGather {
        /// Of each part.
        bytes: Bytes,
    },
    /// Each rank gets a part of its own from each (MPI_Alltoall).
    AllToAll {
        /// Of each part.
        bytes: Bytes,
    },
    /// Messages between ranks that are named, all of them at once; ranks without any go on (MPI_Send and MPI_Recv).
    Send(Vec<MessageParameters>),
    /// Each rank sends to the one that comes `by` ranks after it, round the circle, and receives from the one as far before
    /// (MPI_Sendrecv).
    Shift {
        /// How far.
        #[serde(default = "one")]
        by: u32,
        /// Of each message.
        bytes: Bytes,
    },
    /// Two and two ranks send each other a message: those whose numbers differ by the bits of `distance`, with 1 the ranks 0 and 1,
    /// 2 and 3, and so on. A rank without a partner goes on.
    Pairs {
        /// How far, 1 or more.
        #[serde(default = "one")]
        distance: u32,
        /// Of each message.
        bytes: Bytes,
    },
    /// Each rank writes to another's memory (MPI_Put, then MPI_Win_flush): who owns it does nothing for it, and over InfiniBand neither do
    /// his processors.
    Put(WindowParameters),
    /// Each rank reads another's memory (MPI_Get, likewise).
    Get(WindowParameters),
    /// Each rank combines vectors of its own with another's memory (MPI_Accumulate, likewise).
    Accumulate(WindowParameters),
    /// Each rank adds to a number in another's memory, and gets its value before (MPI_Fetch_and_op, likewise).
    FetchAndAdd(CounterParameters),
    /// What was done to any memory before is seen by all behind it (MPI_Win_fence): all wait until all have come.
    Fence,
    /// Each rank and its neighbours on a grid send each other the borders of what they compute on, all at once.
    Halo {
        /// Ranks along each dimension; their product is the number of ranks, which are numbered along the first dimension first.
        ranks: Vec<u64>,
        /// Of a message along each dimension.
        bytes: Vec<Bytes>,
        /// Whether the last along a dimension is a neighbour of the first.
        #[serde(default)]
        periodic: bool,
    },
    /// Opens a file, writes, and closes it. With the first such step it is made.
    Write(StepFile),
    /// Opens a file, reads what all ranks have written of it, and closes it. A file that is read before it is written is there.
    Read(StepFile),
    /// The same steps so often.
    Repeat {
        /// How often.
        times: u64,
        /// As what the report tells how long all times together took: from the first rank's first step to the last one's last. A
        /// barrier before lets all begin together.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        measure: Option<String>,
        /// What is counted of it.
        #[serde(default)]
        rate: StepRate,
        /// Which steps.
        steps: Vec<Self>,
    },
}

const fn one() -> u32 {
    1
}

/// A message from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageParameters {
    /// Who sends it.
    pub from: u32,
    /// Who receives it.
    pub to: u32,
    /// Of the message.
    pub bytes: Bytes,
    /// So many of them, posted together.
    #[serde(default = "one")]
    pub messages: u32,
}

/// Whose memory each rank accesses: that of one rank, or of the one that comes so many after it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowParameters {
    /// The rank whose memory all access, its own included; it or `by`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u32>,
    /// How many ranks after it comes the one whose memory a rank accesses, round the circle; it or `to`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<u32>,
    /// Of each access.
    pub bytes: Bytes,
    /// So many of them, posted together.
    #[serde(default = "one")]
    pub times: u32,
}

/// Whose number each rank adds to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CounterParameters {
    /// The rank whose number all add to, its own included; it or `by`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u32>,
    /// How many ranks after it comes the one whose number a rank adds to, round the circle; it or `to`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<u32>,
    /// So often, posted together.
    #[serde(default = "one")]
    pub times: u32,
}

/// Accesses of each rank to memory: whose, which, and how many posted together.
pub(super) struct Accesses {
    pub(super) to: Option<u32>,
    pub(super) by: Option<u32>,
    pub(super) remote: Remote,
    pub(super) times: u32,
}

/// Where the parts of all ranks lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum StepLayout {
    /// In a file of each rank.
    #[default]
    #[serde(rename = "n-n")]
    Own,
    /// In one file, each rank's in one piece.
    #[serde(rename = "n-1")]
    Segmented,
    /// In one file, transfers of all ranks in turn.
    #[serde(rename = "n-1-strided")]
    Strided,
}

impl From<StepLayout> for CheckpointLayout {
    fn from(layout: StepLayout) -> Self {
        match layout {
            StepLayout::Own => Self::Own,
            StepLayout::Segmented => Self::Segmented,
            StepLayout::Strided => Self::Strided,
        }
    }
}

/// What of a file all ranks write or read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepFile {
    /// Its name; with `layout = "n-n"` of a rank's each, after which the rank's number stands.
    pub file: String,
    /// Bytes of each rank.
    pub bytes: Bytes,
    /// Bytes of one access. Left out, all of a rank's by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer: Option<Bytes>,
    /// Where the ranks' parts lie.
    #[serde(default)]
    pub layout: StepLayout,
    /// Whether the accesses of all ranks to one file are collective ones of MPI-IO.
    #[serde(default)]
    pub collective: bool,
    /// Whether what is written is made durable by each rank (fsync) before the file is closed. Of writes only.
    #[serde(default)]
    pub fsync: bool,
}

impl StepFile {
    /// Where all lie that so many ranks write or read.
    pub(super) fn states(&self, ranks: u32) -> States {
        let Bytes(state) = self.bytes;
        let transfer = match self.transfer {
            Some(Bytes(transfer)) => transfer,
            None => state,
        };
        States { layout: self.layout.into(), ranks, state, transfer, collective: self.collective }
    }
}

/// What is counted of measured steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepRate {
    /// How often they were done.
    #[default]
    Times,
    /// Bytes that all ranks sent, wrote and read in them.
    Bytes,
}

impl StepParameters {
    /// Its name, as it is written.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Compute(_) => "compute",
            Self::Barrier => "barrier",
            Self::Broadcast { .. } => "broadcast",
            Self::Reduce { .. } => "reduce",
            Self::AllReduce { .. } => "all-reduce",
            Self::Gather { .. } => "gather",
            Self::Scatter { .. } => "scatter",
            Self::AllGather { .. } => "all-gather",
            Self::AllToAll { .. } => "all-to-all",
            Self::Send(_) => "send",
            Self::Shift { .. } => "shift",
            Self::Pairs { .. } => "pairs",
            Self::Put(_) => "put",
            Self::Get(_) => "get",
            Self::Accumulate(_) => "accumulate",
            Self::FetchAndAdd(_) => "fetch-and-add",
            Self::Fence => "fence",
            Self::Halo { .. } => "halo",
            Self::Write(_) => "write",
            Self::Read(_) => "read",
            Self::Repeat { .. } => "repeat",
        }
    }

    /// The accesses to other ranks' memory that it is.
    pub(super) fn accesses(&self) -> Option<Accesses> {
        let of = |&WindowParameters { to, by, times, .. }: &WindowParameters, remote| Accesses {
            to,
            by,
            remote,
            times,
        };
        Some(match self {
            Self::Put(window) => of(window, Remote::Put(window.bytes.get())),
            Self::Get(window) => of(window, Remote::Get(window.bytes.get())),
            Self::Accumulate(window) => of(window, Remote::Accumulate(window.bytes.get())),
            &Self::FetchAndAdd(CounterParameters { to, by, times }) => {
                Accesses { to, by, remote: Remote::FetchAndAdd, times }
            }
            _ => return None,
        })
    }

    /// The collective operation that it is.
    pub(super) const fn collective(&self) -> Option<Collective> {
        Some(match *self {
            Self::Barrier | Self::Fence => Collective::Barrier,
            Self::Broadcast { bytes: Bytes(bytes), root } => Collective::Broadcast { root, bytes },
            Self::Reduce { bytes: Bytes(bytes), root } => Collective::Reduce { root, bytes },
            Self::AllReduce { bytes: Bytes(bytes) } => Collective::AllReduce { bytes },
            Self::Gather { bytes: Bytes(bytes), root } => Collective::Gather { root, bytes },
            Self::Scatter { bytes: Bytes(bytes), root } => Collective::Scatter { root, bytes },
            Self::AllGather { bytes: Bytes(bytes) } => Collective::AllGather { bytes },
            Self::AllToAll { bytes: Bytes(bytes) } => Collective::AllToAll { bytes },
            _ => return None,
        })
    }
}
