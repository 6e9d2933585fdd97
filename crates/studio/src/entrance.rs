//! How a browser of this machine is let in without the token standing in its arguments, which every user can read:
//! through a page in a file that this user alone may read, which leads to an address with a secret that opens once.

use crate::token::Token;
use petrio_files::temporary::TemporaryFolder;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The way in, while there is one.
#[derive(Clone, Default)]
pub(crate) struct Entrance(Arc<Mutex<Option<Open>>>);

struct Open {
    secret: Token,
    /// Removed with its file as soon as it has served.
    _directory: TemporaryFolder,
}

/// The part of an address before the secret.
pub(crate) const DOOR: &str = "open";

impl Entrance {
    fn inner(&self) -> MutexGuard<'_, Option<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a file that leads in; an earlier one does no longer. `origin` is the studio's address up to its path.
    pub(crate) fn make(&self, origin: &str) -> io::Result<PathBuf> {
        let secret = Token::random().map_err(|error| io::Error::other(error.to_string()))?;
        let directory = TemporaryFolder::new_in(&folder())?;
        let path = directory.path().join("open.html");
        let address = format!("{origin}/{DOOR}/{}", secret.as_str());
        let page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>petrio studio</title>\n<meta http-equiv=\"refresh\" content=\"0; url={address}\">\n</head>\n\
             <body><a href=\"{address}\">To the studio</a></body>\n</html>\n"
        );
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(page.as_bytes())?;
        *self.inner() = Some(Open { secret, _directory: directory });
        Ok(path)
    }

    /// Whether a path is that of the door and has the secret, which then opens no more.
    pub(crate) fn opens(&self, path: &str) -> bool {
        let Some(offered) = path.strip_prefix('/').and_then(|path| path.split_once('/')) else {
            return false;
        };
        let mut open = self.inner();
        let is_right = offered.0 == DOOR && open.as_ref().is_some_and(|open| open.secret.is(offered.1));
        if is_right {
            *open = None;
        }
        is_right
    }

    /// Closes it, and removes its file.
    pub(crate) fn close(&self) {
        *self.inner() = None;
    }
}

/// Where a browser finds the file. One that is kept apart from the rest of the machine sees neither this machine's
/// temporary folder nor what is hidden, but what lies in the home.
fn folder() -> PathBuf {
    let is_apart =
        ["/snap/bin", "/var/lib/snapd", "/var/lib/flatpak"].iter().any(|place| Path::new(place).exists());
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute() && home.is_dir());
    match home {
        Some(home) if is_apart => home,
        _ => std::env::temp_dir(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn it_opens_once_and_its_file_is_private_and_goes() {
        let entrance = Entrance::default();
        let file = entrance.make("http://127.0.0.1:1").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o7777;
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
        let text = std::fs::read_to_string(&file).unwrap();
        let secret =
            text.split("http://127.0.0.1:1/open/").nth(1).unwrap().split('"').next().unwrap().to_owned();
        for wrong in ["/open/", "/open/0", "/open", "", &format!("/{secret}"), &format!("/other/{secret}")] {
            assert!(!entrance.opens(wrong), "{wrong}");
        }
        assert!(file.exists());
        assert!(entrance.opens(&format!("/open/{secret}")));
        assert!(!file.parent().unwrap().exists());
        assert!(!entrance.opens(&format!("/open/{secret}")), "once");
        let file = entrance.make("http://127.0.0.1:1").unwrap();
        entrance.close();
        assert!(!file.exists());
    }
}
