//! Policies on hand-made histories, and copies that are never lost.
