//! Parallel file systems against counts and closed forms.
