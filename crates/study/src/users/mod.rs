//! Synthetic users on real directories, and what their use of files was like.

pub mod alike;
mod analyse;
mod candidates;
mod error;
mod figures;
mod figures_page;
mod learn;
mod page;
#[cfg(feature = "live")]
mod real;
#[cfg(not(feature = "live"))]
#[path = "not_real.rs"]
mod real;
#[cfg(feature = "live")]
mod run;
mod runs;
mod simulated;
mod volume;
#[cfg(feature = "live")]
mod workers;

pub use analyse::{AnalysedUsage, analyse_file};
pub use candidates::{USUAL_SCENARIO, candidate};
pub use error::UsersError;
pub use figures::{
    FiguresOrigin, FiguresParameters, FiguresProgress, Point, PopulationFigure, UsersFigures,
    measure_figures, measure_population,
};
pub use figures_page::{response_figures, write_figures_html};
pub use learn::{LearnWhat, learn_file};
pub use page::{session_histograms, write_usage_html};
#[cfg(feature = "live")]
pub use run::{UsersProgress, UsersRun, UsersSummary, run_users};
pub use runs::{NamedRun, RunsBy, analyse_runs};
pub use simulated::{SimulatedUsers, simulate_users, users_of};
pub use volume::{FilledVolume, VolumeError, VolumeFile, fill_volume, usual_size};
#[cfg(feature = "live")]
pub use workers::{Workers, work};
