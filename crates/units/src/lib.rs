//! Quantities that carry their unit in the text.
