//! Tables 5 to 15 of the paper.
//!
//! Source: S.-L. Lo, "Ivy: a study on replicating data for performance improvement", HPL-CSP-90-48, 1990, §6. Two
//! sentences of its prose don't follow from them (§6.2's 32 % for reads of Cello / is the write column; its table says
//! 15 %): the tables count.

use super::figures::IvyFigures;
use petrio_models::cluster::replication::{PolicyParameters, Trigger};
use serde::Serialize;

/// A file system that the paper studies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum FileSystem {
    /// Triangle /: one user's program development, an HP 7937.
    #[serde(rename = "Triangle /")]
    TriangleRoot,
    /// Cello /: a time-sharing system's root, where news packets pass through; an HP 7935.
    #[serde(rename = "Cello /")]
    CelloRoot,
    /// Cello /users: its users' files; an HP 7937.
    #[serde(rename = "Cello /users")]
    CelloUsers,
}

impl FileSystem {
    /// All of them, as the paper has them.
    pub const ALL: [Self; 3] = [Self::TriangleRoot, Self::CelloRoot, Self::CelloUsers];

    /// What the paper calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TriangleRoot => "Triangle /",
            Self::CelloRoot => "Cello /",
            Self::CelloUsers => "Cello /users",
        }
    }

    /// Its disk in the catalogue (§5.1, table 2).
    pub const fn disk(self) -> &'static str {
        match self {
            Self::TriangleRoot | Self::CelloUsers => "hp-7937",
            Self::CelloRoot => "hp-7935",
        }
    }

    /// Memory of its host in MiB (§5.1).
    pub const fn memory_mib(self) -> u64 {
        match self {
            Self::TriangleRoot => 24,
            Self::CelloRoot | Self::CelloUsers => 64,
        }
    }
}

/// A policy of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum IvyPolicy {
    /// §6.2.
    #[serde(rename = "RNWN")]
    ReadOneWriteAll,
    /// §6.3.
    #[serde(rename = "RNW1")]
    CutBack,
    /// §6.4.
    #[serde(rename = "RNW1CR")]
    CutBackRandom,
    /// §6.5.
    #[serde(rename = "scatter")]
    Scatter,
    /// §6.6.
    #[serde(rename = "scatter + RNW1CR")]
    ScatterCutBack,
}

impl IvyPolicy {
    /// All of them, as the paper has them.
    pub const ALL: [Self; 5] =
        [Self::ReadOneWriteAll, Self::CutBack, Self::CutBackRandom, Self::Scatter, Self::ScatterCutBack];

    /// The paper's name for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadOneWriteAll => "RNWN",
            Self::CutBack => "RNW1",
            Self::CutBackRandom => "RNW1CR",
            Self::Scatter => "scatter",
            Self::ScatterCutBack => "scatter + RNW1CR",
        }
    }

    /// As the model has it.
    pub fn parameters(self) -> PolicyParameters {
        let trigger = Trigger::default();
        match self {
            Self::ReadOneWriteAll => PolicyParameters::ReadOneWriteAll,
            Self::CutBack => PolicyParameters::CutBack(trigger),
            Self::CutBackRandom => PolicyParameters::CutBackRandom(trigger),
            Self::Scatter => PolicyParameters::Scatter,
            Self::ScatterCutBack => PolicyParameters::ScatterCutBack(trigger),
        }
    }
}

/// A table of the paper: its number, what it is of, and a row for each number of copies.
pub struct PaperTable {
    /// Its number.
    pub number: u32,
    /// The file system.
    pub file_system: FileSystem,
    /// The policy.
    pub policy: IvyPolicy,
    /// Copies (or disks), and the figures.
    pub rows: &'static [(u32, IvyFigures)],
}

#[allow(clippy::too_many_arguments, reason = "a row of the paper's table, in its columns' order")]
const fn row(
    copies: u32,
    seek_cylinders: f64,
    queue: f64,
    read_queue: f64,
    write_queue: f64,
    read: (f64, f64),
    write: (f64, f64),
    overall: (f64, f64),
) -> (u32, IvyFigures) {
    (copies, IvyFigures { seek_cylinders, queue, read_queue, write_queue, read, write, overall })
}

const TRIANGLE: (u32, IvyFigures) =
    row(1, 82.38, 1.75, 0.14, 2.85, (26.36, 23.55), (74.62, 107.38), (55.08, 87.45));
const CELLO: (u32, IvyFigures) =
    row(1, 16.91, 0.74, 0.45, 3.96, (28.22, 29.61), (150.76, 102.35), (38.38, 53.07));
const USERS: (u32, IvyFigures) =
    row(1, 79.73, 1.82, 0.38, 5.80, (27.42, 31.42), (126.22, 299.62), (53.54, 162.36));

/// What the paper says of one copy of every file.
pub const fn one_copy(file_system: FileSystem) -> IvyFigures {
    match file_system {
        FileSystem::TriangleRoot => TRIANGLE.1,
        FileSystem::CelloRoot => CELLO.1,
        FileSystem::CelloUsers => USERS.1,
    }
}

/// The tables, in their order.
pub const TABLES: [PaperTable; 11] = [
    PaperTable {
        number: 5,
        file_system: FileSystem::TriangleRoot,
        policy: IvyPolicy::ReadOneWriteAll,
        rows: &[
            TRIANGLE,
            row(2, 64.08, 2.10, 0.09, 2.78, (24.26, 20.81), (66.53, 102.08), (49.41, 82.51)),
            row(3, 57.07, 2.27, 0.08, 2.77, (23.58, 20.08), (63.53, 99.94), (47.36, 80.57)),
            row(5, 52.55, 2.44, 0.06, 2.76, (23.25, 19.56), (60.61, 97.92), (45.48, 78.73)),
            row(7, 50.55, 2.52, 0.07, 2.76, (23.23, 19.74), (59.14, 97.33), (44.61, 78.15)),
        ],
    },
    PaperTable {
        number: 6,
        file_system: FileSystem::CelloRoot,
        policy: IvyPolicy::ReadOneWriteAll,
        rows: &[
            CELLO,
            row(2, 24.67, 0.52, 0.09, 2.85, (23.92, 20.69), (102.05, 101.02), (30.40, 41.28)),
            row(3, 25.71, 0.59, 0.08, 2.47, (23.31, 18.36), (84.71, 102.85), (28.32, 38.40)),
            row(5, 27.75, 0.71, 0.06, 2.17, (22.68, 16.84), (73.88, 104.19), (26.93, 36.88)),
            row(7, 33.85, 0.99, 0.07, 2.02, (22.51, 16.34), (69.87, 103.96), (26.44, 36.23)),
        ],
    },
    PaperTable {
        number: 7,
        file_system: FileSystem::CelloUsers,
        policy: IvyPolicy::ReadOneWriteAll,
        rows: &[
            USERS,
            row(2, 55.56, 2.31, 0.11, 5.36, (20.35, 19.40), (105.29, 292.92), (42.81, 156.09)),
            row(3, 51.36, 2.76, 0.09, 5.24, (19.54, 17.84), (98.89, 291.16), (40.52, 154.51)),
            row(5, 47.18, 3.33, 0.07, 5.16, (19.04, 16.89), (94.27, 288.30), (38.93, 152.60)),
            row(7, 44.71, 3.68, 0.06, 5.12, (18.89, 17.08), (92.19, 286.46), (38.27, 151.51)),
        ],
    },
    PaperTable {
        number: 8,
        file_system: FileSystem::TriangleRoot,
        policy: IvyPolicy::CutBack,
        rows: &[
            TRIANGLE,
            row(2, 56.29, 1.67, 0.03, 2.78, (22.63, 18.94), (71.98, 106.41), (52.00, 86.43)),
            row(3, 36.87, 1.66, 0.03, 2.76, (21.57, 18.57), (71.46, 105.78), (51.27, 86.02)),
            row(5, 33.06, 1.66, 0.03, 2.76, (20.82, 17.96), (70.98, 104.69), (50.68, 85.20)),
            row(7, 31.06, 1.66, 0.03, 2.77, (20.71, 18.05), (70.80, 104.89), (50.52, 85.35)),
        ],
    },
    PaperTable {
        number: 9,
        file_system: FileSystem::CelloRoot,
        policy: IvyPolicy::CutBack,
        rows: &[
            CELLO,
            row(2, 13.15, 0.53, 0.26, 3.50, (25.39, 24.93), (134.84, 110.98), (34.47, 50.03)),
            row(3, 12.39, 0.53, 0.26, 3.49, (25.33, 24.93), (135.28, 111.19), (34.45, 50.16)),
            row(5, 11.64, 0.53, 0.26, 3.49, (25.25, 24.81), (134.78, 111.32), (34.34, 50.05)),
            row(7, 11.15, 0.52, 0.26, 3.48, (25.19, 24.74), (134.56, 111.32), (34.27, 50.00)),
        ],
    },
    PaperTable {
        number: 10,
        file_system: FileSystem::CelloUsers,
        policy: IvyPolicy::CutBack,
        rows: &[
            USERS,
            row(2, 38.79, 1.61, 0.15, 5.69, (20.89, 24.41), (121.84, 298.49), (47.58, 161.18)),
            row(3, 40.99, 1.60, 0.13, 5.68, (20.61, 23.79), (121.41, 296.81), (47.26, 160.29)),
            row(5, 30.68, 1.60, 0.13, 5.69, (20.42, 25.13), (122.37, 300.50), (47.38, 162.37)),
            row(7, 29.60, 1.60, 0.13, 5.68, (20.32, 24.26), (122.30, 301.57), (47.28, 162.80)),
        ],
    },
    PaperTable {
        number: 11,
        file_system: FileSystem::TriangleRoot,
        policy: IvyPolicy::CutBackRandom,
        rows: &[
            TRIANGLE,
            row(2, 57.26, 1.57, 0.03, 2.62, (22.58, 19.02), (68.48, 102.31), (49.90, 82.97)),
            row(3, 45.40, 1.51, 0.03, 2.52, (21.56, 18.64), (66.41, 100.07), (48.26, 81.15)),
            row(5, 37.00, 1.48, 0.02, 2.48, (20.96, 18.35), (64.80, 98.94), (47.05, 80.16)),
            row(7, 33.24, 1.46, 0.02, 2.44, (20.59, 17.96), (63.75, 96.76), (46.28, 78.43)),
        ],
    },
    PaperTable {
        number: 12,
        file_system: FileSystem::CelloRoot,
        policy: IvyPolicy::CutBackRandom,
        rows: &[
            CELLO,
            row(2, 12.79, 0.47, 0.26, 2.84, (25.19, 23.26), (111.07, 94.11), (32.32, 42.33)),
            row(3, 11.66, 0.45, 0.25, 2.60, (24.97, 22.72), (102.73, 91.33), (31.42, 40.32)),
            row(5, 10.46, 0.43, 0.25, 2.43, (24.80, 22.46), (96.26, 89.77), (30.73, 38.98)),
        ],
    },
    PaperTable {
        number: 13,
        file_system: FileSystem::CelloUsers,
        policy: IvyPolicy::CutBackRandom,
        rows: &[
            USERS,
            row(2, 39.48, 1.52, 0.14, 5.35, (20.69, 23.84), (115.69, 293.60), (45.81, 158.01)),
            row(3, 34.96, 1.49, 0.13, 5.29, (20.36, 22.88), (114.04, 291.96), (45.13, 156.94)),
            row(5, 31.95, 1.51, 0.13, 5.34, (20.40, 24.73), (115.60, 285.76), (45.57, 154.28)),
        ],
    },
    PaperTable {
        number: 14,
        file_system: FileSystem::TriangleRoot,
        policy: IvyPolicy::Scatter,
        rows: &[
            TRIANGLE,
            row(2, 79.36, 1.48, 0.08, 2.43, (25.15, 19.19), (64.98, 95.03), (48.85, 76.85)),
            row(3, 79.03, 1.45, 0.07, 2.40, (24.93, 17.97), (64.36, 96.46), (48.40, 77.73)),
            row(5, 81.19, 1.47, 0.06, 2.23, (25.16, 16.32), (60.44, 91.54), (46.16, 73.45)),
            row(7, 82.63, 1.38, 0.04, 2.28, (25.32, 15.27), (58.88, 89.23), (45.29, 71.44)),
        ],
    },
    PaperTable {
        number: 15,
        file_system: FileSystem::TriangleRoot,
        policy: IvyPolicy::ScatterCutBack,
        rows: &[
            TRIANGLE,
            row(2, 57.18, 1.47, 0.02, 2.45, (22.34, 16.94), (65.18, 96.44), (47.84, 78.06)),
            row(3, 46.87, 1.38, 0.01, 2.30, (21.35, 15.02), (61.79, 92.72), (45.42, 74.84)),
            row(5, 40.01, 1.34, 0.02, 2.23, (20.88, 16.69), (60.27, 91.78), (44.33, 74.16)),
            row(7, 37.40, 1.32, 0.01, 2.32, (20.45, 13.63), (59.91, 94.14), (43.94, 75.67)),
        ],
    },
];
