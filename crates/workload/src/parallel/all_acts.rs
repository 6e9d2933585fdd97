//! Every kind of acts that there is, by which those that a rank is in the middle of are written down and made anew.

use super::act::{Acts, Sequence};
use super::collective::Rounds;
use super::io::{Sieve, TwoPhase, Unordered};
use super::programs::bt_io::fortran::Buffered;
use super::programs::bt_io::grid::Rows;
use super::programs::bt_io::program::{BlockRecords, BtRank, RowCalls};
use super::programs::bt_io::solver::SolverStep;
use super::programs::checkpoint::CheckpointRank;
use super::programs::darshan::rank::CountedRank;
use super::programs::darshan::recorded::DarshanRank;
use super::programs::ior::accesses::Accesses;
use super::programs::ior::program::IorRank;
use super::programs::mdtest::program::MdtestRank;
use super::programs::mpi_io::MpiIoRank;
use super::programs::recording::replay::{AmongMembers, RecordedThread};
use super::programs::seis::SeisRank;
use super::programs::steps::run::{FileAccess, StepsRank};
use super::programs::stream::StreamRank;
use super::programs::training::samples::Samples;
use super::programs::training::{Accelerator, Among, Reader};
use petrio_persist::Persist;
use std::ops::{Deref, DerefMut};

macro_rules! acts {
    ($($name:ident: $kind:ty,)*) => {
        /// Acts of any kind. A state knows a kind by its place here.
        #[derive(Persist)]
        pub(super) enum AnyActs {
            $($name(Box<$kind>),)*
        }

        impl Deref for AnyActs {
            type Target = dyn Acts;

            fn deref(&self) -> &Self::Target {
                match self {
                    $(Self::$name(acts) => &**acts,)*
                }
            }
        }

        impl DerefMut for AnyActs {
            fn deref_mut(&mut self) -> &mut Self::Target {
                match self {
                    $(Self::$name(acts) => &mut **acts,)*
                }
            }
        }

        $(
            impl From<$kind> for AnyActs {
                fn from(acts: $kind) -> Self {
                    Self::$name(Box::new(acts))
                }
            }
        )*
    };
}

acts! {
    Sequence: Sequence,
    Rounds: Rounds,
    Sieve: Sieve,
    TwoPhase: TwoPhase,
    Unordered: Unordered,
    Bt: BtRank,
    BtStep: SolverStep,
    BtRows: RowCalls,
    BufferedRows: Buffered<Rows>,
    BufferedBlocks: Buffered<BlockRecords>,
    Checkpoint: CheckpointRank,
    Counted: CountedRank,
    Darshan: DarshanRank,
    Ior: IorRank,
    IorAccesses: Accesses,
    Mdtest: MdtestRank,
    MpiIo: MpiIoRank,
    Recorded: RecordedThread,
    RecordedRounds: AmongMembers,
    Seis: SeisRank,
    Steps: StepsRank,
    StepsFile: FileAccess,
    Stream: StreamRank,
    Accelerator: Accelerator,
    AcceleratorsOnly: Among,
    Reader: Reader,
    Samples: Samples,
}
