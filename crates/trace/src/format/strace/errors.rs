//! The numbers of error names, as Linux has them on most processors.
//!
//! Source: Linux `include/uapi/asm-generic/errno-base.h` and `errno.h`.

/// The names from number 1 on; empty where there is none.
#[rustfmt::skip]
const NAMES: [&str; 133] = [
    "EPERM", "ENOENT", "ESRCH", "EINTR", "EIO", "ENXIO", "E2BIG", "ENOEXEC", "EBADF", "ECHILD", "EAGAIN", "ENOMEM", "EACCES", "EFAULT", "ENOTBLK", "EBUSY", "EEXIST", "EXDEV", "ENODEV", "ENOTDIR", "EISDIR", "EINVAL", "ENFILE", "EMFILE", "ENOTTY", "ETXTBSY", "EFBIG", "ENOSPC", "ESPIPE", "EROFS", "EMLINK", "EPIPE", "EDOM", "ERANGE", "EDEADLK", "ENAMETOOLONG", "ENOLCK", "ENOSYS", "ENOTEMPTY", "ELOOP", "", "ENOMSG", "EIDRM", "ECHRNG", "EL2NSYNC", "EL3HLT", "EL3RST", "ELNRNG", "EUNATCH", "ENOCSI", "EL2HLT", "EBADE", "EBADR", "EXFULL", "ENOANO", "EBADRQC", "EBADSLT", "", "EBFONT", "ENOSTR", "ENODATA", "ETIME", "ENOSR", "ENONET", "ENOPKG", "EREMOTE", "ENOLINK", "EADV", "ESRMNT", "ECOMM", "EPROTO", "EMULTIHOP", "EDOTDOT", "EBADMSG", "EOVERFLOW", "ENOTUNIQ", "EBADFD", "EREMCHG", "ELIBACC", "ELIBBAD", "ELIBSCN", "ELIBMAX", "ELIBEXEC", "EILSEQ", "ERESTART", "ESTRPIPE", "EUSERS", "ENOTSOCK", "EDESTADDRREQ", "EMSGSIZE", "EPROTOTYPE", "ENOPROTOOPT", "EPROTONOSUPPORT", "ESOCKTNOSUPPORT", "EOPNOTSUPP", "EPFNOSUPPORT", "EAFNOSUPPORT", "EADDRINUSE", "EADDRNOTAVAIL", "ENETDOWN", "ENETUNREACH", "ENETRESET", "ECONNABORTED", "ECONNRESET", "ENOBUFS", "EISCONN", "ENOTCONN", "ESHUTDOWN", "ETOOMANYREFS", "ETIMEDOUT", "ECONNREFUSED", "EHOSTDOWN", "EHOSTUNREACH", "EALREADY", "EINPROGRESS", "ESTALE", "EUCLEAN", "ENOTNAM", "ENAVAIL", "EISNAM", "EREMOTEIO", "EDQUOT", "ENOMEDIUM", "EMEDIUMTYPE", "ECANCELED", "ENOKEY", "EKEYEXPIRED", "EKEYREVOKED", "EKEYREJECTED", "EOWNERDEAD", "ENOTRECOVERABLE", "ERFKILL", "",
];

/// Other words for numbers in the table.
const ALSO: [(&str, u16); 3] = [("EWOULDBLOCK", 11), ("EDEADLOCK", 35), ("ENOTSUP", 95)];

/// What the kernel returns to itself before it starts a call again (`ERESTARTSYS` and its like): to the program, an
/// interrupted call.
const INTERRUPTED: u16 = 4;

/// The number that stands for an error whose name is in no list.
const UNKNOWN: u16 = u16::MAX;

/// The number of an error name; zero for none.
pub(super) fn number(name: &[u8]) -> u16 {
    if name.is_empty() {
        return 0;
    }
    if name.starts_with(b"ERESTART") {
        return INTERRUPTED;
    }
    let known = NAMES
        .iter()
        .position(|known| known.as_bytes() == name)
        .and_then(|index| u16::try_from(index + 1).ok());
    known
        .or_else(|| ALSO.iter().find(|(also, _)| also.as_bytes() == name).map(|&(_, number)| number))
        .unwrap_or(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_numbers_of_linux() {
        let numbers = [
            b"ENOENT".as_slice(),
            b"EAGAIN",
            b"ENOTEMPTY",
            b"EOPNOTSUPP",
            b"EWOULDBLOCK",
            b"ERESTARTSYS",
            b"",
        ];
        assert_eq!(numbers.map(number), [2, 11, 39, 95, 11, 4, 0]);
    }
}
