//! Names as the kernel's fanotify tells them: of what is made, deleted and renamed, at the moment it is.
//!
//! The events of calls have pointers to paths only. fanotify's records have the name, the folder and the file, by file
//! handles whose inode numbers can be read off; what they lack is the time. So they make a dictionary of names, and
//! `join` matches them to calls by their thread and their order.

pub(crate) mod folders;
pub(crate) mod record;
pub(crate) mod watch;
