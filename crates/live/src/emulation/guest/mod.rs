//! A stock kernel in QEMU.
