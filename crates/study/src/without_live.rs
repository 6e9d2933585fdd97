//! What is said where the real machine is asked for, and petrio was built without what works there.

use miette::Diagnostic;
use thiserror::Error;

/// The real machine can't be used by this petrio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Diagnostic, Error)]
#[error("this petrio was built without what works on the real machine (the feature \"live\")")]
#[diagnostic(help("build petrio with its usual features, that is without --no-default-features"))]
pub struct WithoutLive;

/// Whether the real machine can be used.
///
/// # Errors
/// petrio was built without what works there.
pub const fn needs_live() -> Result<(), WithoutLive> {
    if cfg!(feature = "live") { Ok(()) } else { Err(WithoutLive) }
}
