//! Devices by major and minor number in one, as Linux names them.

/// `8,16`, or the plain number of a device that has none of Linux's.
pub fn device_name(device: u32) -> String {
    match device >> 20 {
        0 => device.to_string(),
        major => format!("{major},{}", device & 0xf_ffff),
    }
}

/// The number of a device that is named as by [`device_name`].
pub fn device_number(name: &str) -> Option<u32> {
    match name.trim().split_once(',') {
        None => name.trim().parse().ok(),
        Some((major, minor)) => {
            let (major, minor) = (major.trim().parse::<u32>().ok()?, minor.trim().parse::<u32>().ok()?);
            Some(major.checked_mul(1 << 20)? | minor)
        }
    }
}
