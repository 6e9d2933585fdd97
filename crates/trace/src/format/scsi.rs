//! SCSI operation codes, which two formats record.

use petrio_colours::Direction;

/// Which way a command moves data; `None` for one that moves none to or from the medium (inquiries, reservations).
/// Source: SCSI Block Commands (SBC-3), operation codes.
pub(super) const fn direction(opcode: u32) -> Option<Direction> {
    match opcode {
        // READ (6), (10), (12), (16)
        0x08 | 0x28 | 0xa8 | 0x88 => Some(Direction::Read),
        // WRITE (6), (10), (12), (16); WRITE AND VERIFY (10), (12), (16)
        0x0a | 0x2a | 0xaa | 0x8a | 0x2e | 0xae | 0x8e => Some(Direction::Write),
        // SYNCHRONIZE CACHE (10), (16)
        0x35 | 0x91 => Some(Direction::Flush),
        _ => None,
    }
}

/// WRITE AND VERIFY reads back what it wrote, so it can't complete from a cache.
pub(super) const fn forces_unit_access(opcode: u32) -> bool {
    matches!(opcode, 0x2e | 0xae | 0x8e)
}
