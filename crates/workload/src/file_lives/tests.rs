//! What a made-up trace must keep to.
