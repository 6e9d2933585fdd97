//! What a Unix host of 1990 asks of its disk, operation by operation.
